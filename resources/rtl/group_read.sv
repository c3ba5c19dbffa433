// A port at the on-chip memory where the tokens of groups lie: the token at a place.
//@ black_box
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module group_read (
    input logic [31:0] place,
    output sluice::token_t token
);
`ifndef SYNTHESIS
  assign token = sluice_groups::tokens[place];
`endif
endmodule
