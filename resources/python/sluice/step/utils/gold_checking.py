"""Comparing what a run stored with what it should have; there is nothing to compare here, as sluice.step computes times only."""


def check_gold_tensor(sim_out_path, gold):
    raise NotImplementedError("sluice.step simulates times, not values; run the graph with functional_sim=False, without this check")


reconstruct_numpy = check_gold_npy = check_gold_tensor
