// A port at the on-chip memory where the tokens of groups lie: puts a token at a place.
//@ black_box
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module group_write (
    input logic clk, write,
    input logic [31:0] place,
    input sluice::token_t token
);
`ifndef SYNTHESIS
  always_ff @(posedge clk) if (write) sluice_groups::tokens[place] <= token;
`endif
endmodule
