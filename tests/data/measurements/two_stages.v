// Two stages behind a source: hardware that is not of Sluice. Icarus Verilog 11 wrote two_stages.vcd of it:
// iverilog -o run two_stages.v && ./run
`timescale 1ns / 100ps

module stage #(parameter COST = 3) (
    input wire clk, rst,
    input wire in_valid, output wire in_ready,
    output reg out_valid, input wire out_ready
);
  reg [7:0] left;
  reg busy;
  assign in_ready = !busy && !out_valid;
  always @(posedge clk)
    if (rst) begin
      busy <= 0; out_valid <= 0; left <= 0;
    end else begin
      if (in_valid && in_ready) begin busy <= 1; left <= COST; end
      else if (busy && left > 1) left <= left - 1;
      else if (busy) begin busy <= 0; out_valid <= 1; end
      if (out_valid && out_ready) out_valid <= 0;
    end
endmodule

module testbench;
  reg clk = 0, rst = 1;
  always #2.5 clk = !clk;
  reg [3:0] sent = 0;
  integer cycle = 0, received = 0, gate_busy = 0, up_busy = 0;
  wire link_valid, link_ready, last_valid, source_ready;
  wire source_valid = !rst && sent < 4;
  reg done = 0;
  real share = 0;

  stage #(.COST(3)) gate (.clk(clk), .rst(rst), .in_valid(source_valid), .in_ready(source_ready), .out_valid(link_valid), .out_ready(link_ready));
  stage #(.COST(5)) up (.clk(clk), .rst(rst), .in_valid(link_valid), .in_ready(link_ready), .out_valid(last_valid), .out_ready(1'b1));

  always @(posedge clk) if (!rst) begin : counters
    cycle <= cycle + 1;
    share <= gate_busy / 100.0;
    if (source_valid && source_ready) sent <= sent + 1;
    if (gate.busy) gate_busy = gate_busy + 1;
    if (up.busy) up_busy = up_busy + 1;
    if (last_valid) begin received = received + 1; if (received == 4) done <= 1; end
    if (done) begin $display("cycles %0d gate %0d up %0d", cycle, gate_busy, up_busy); $finish; end
  end
  initial begin
    $dumpfile("two_stages.vcd");
    $dumpvars(0, testbench);
    #12 rst = 0;
  end
endmodule
