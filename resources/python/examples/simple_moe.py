"""The simplified mixture of experts of the STeP paper (Figures 6 and 7), written and explored in Python."""

import sluice


def simple_moe():
    p = sluice.Builder("Simplified mixture of experts")
    B, D, E, F = p.constants(B=16, D=64, E=2, F=256)
    token_tile = p.knob("token_tile", [2, 4, 8, 16], default=4)
    weight_tile = p.knob("weight_tile", [32, 64, 128], default=64)
    bw = p.knob("compute_bw", [256, 512, 1024], default=512)
    p.machine(fifo_depth=p.knob("depth", [1, 4], default=4))
    p.input("routing", "Routing", counts=[11, 5], tokens=16, experts=2, top_k=1)
    x = p.linear_off_chip_load(out_shape=[B, 1], stride=[1, 1], tile=[1, D], tensor="x", tensor_shape=[B, D])
    scattered = p.partition(p.flatten(x, min=0, max=1), p.select_gen(input="routing"), ways=E)
    with p.region("expert", count=E, inputs={"x": scattered}, index="e") as expert:
        def weights(name, tile, shape, origin):
            load = p.linear_off_chip_load_ref(
                tiles, out_shape=[F // weight_tile, 1], stride=[1, 1], tile=tile,
                tensor=name, tensor_shape=[E, *shape], tensor_origin=[expert.index * origin, 0])  # fmt: skip
            return p.flatten(load, min=0, max=1)

        grouped = p.reshape(expert.x, dim=0, chunk=token_tile, pad=[1, D], add_outer_dim=True)
        tiles = p.accum(p.flatten(grouped, min=1, max=2), function="retile_row", init=[0, D], rank=1, compute_bw=bw)
        repeated = p.repeat(tiles, factor=F // weight_tile)
        up = p.binary_map(repeated, weights("w_up", [D, weight_tile], [D, F], D), function="matmul", compute_bw=bw)
        gate = p.binary_map(repeated, weights("w_gate", [D, weight_tile], [D, F], D), function="matmul", compute_bw=bw)
        hidden = p.binary_map(up, p.map(gate, function="silu", compute_bw=bw), function="multiply", compute_bw=bw)
        down = weights("w_down", [weight_tile, D], [F, D], F)
        out = p.binary_map_accum(hidden, down, function="matmul", init=[token_tile, D], rank=1, compute_bw=bw)
        expert.output(p.flat_map(out, function="retile_streamify", split="row", filter_mask=True))
    gathered = p.reassemble(expert.y, p.select_gen(input="routing"), ways=E)
    summed = p.accum(gathered, function="add", init=[1, D], rank=1, compute_bw=bw)
    p.linear_off_chip_store(p.reshape(summed, dim=0, chunk=1, write_back_mu=True), tile=[1, D], tensor="y", tensor_shape=[B, D])
    return p.program()


if __name__ == "__main__":
    print(sluice.explore(simple_moe()).frontier)
