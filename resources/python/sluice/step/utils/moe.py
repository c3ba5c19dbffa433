"""Routing tables of mixtures of experts, of torch or NumPy."""


def topk_to_onehot(topk_indices, num_experts):
    """[tokens, k] of expert numbers to [tokens, k, experts] of zeros and ones."""
    if hasattr(topk_indices, "numpy"):
        import torch

        return torch.nn.functional.one_hot(topk_indices.long(), num_experts)
    import numpy

    return numpy.eye(num_experts, dtype=numpy.int64)[topk_indices]


def topk_to_multihot(topk_indices, num_experts):
    """[tokens, k] of expert numbers to [tokens, experts] of zeros and ones."""
    return topk_to_onehot(topk_indices, num_experts).sum(1)


def expert_distribution_from_topk(topk_indices, num_experts):
    """How many tokens each expert gets."""
    return [int(each) for each in topk_to_onehot(topk_indices, num_experts).sum(1).sum(0).tolist()]
