// What operators have in common whose result leaves as soon as there is room for it, and is held until then.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module held_result (
    input logic clk, rst,
    input logic made,             // a result comes about at this edge; only while none is held
    input sluice::token_t result,
    input logic room,
    output logic holds, emits,
    output sluice::token_t token  // what leaves
);
  sluice::token_t held;

  assign emits = room && (holds || made);
  assign token = holds ? held : result;
  always_ff @(posedge clk) begin
    if (rst) holds <= 0;
    else holds <= (holds || made) && !emits;
    if (made) held <= result;
  end
endmodule
