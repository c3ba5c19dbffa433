// ReshapePadStream: the innermost dimension becomes chunks, padded where one is incomplete; a flag behind every token tells
// which are padding.
//@ operator ReshapePadStream
//@ parameter CHUNK chunk
//@ parameter PAD pad
//@ parameter WRITE_BACK_MU write_back_mu
//@ parameter MARKS marks
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_reshape_pad_stream #(
    parameter longint CHUNK = 1,
    parameter logic [127:0] PAD = '0,
    parameter bit WRITE_BACK_MU = 0,
    parameter MARKS = "padding"
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out, padding,
    input logic out_ready, padding_ready,
    output sluice::status_t status
);
  localparam bit MARKS_DATA = MARKS == "data";

  logic holds, flags, pads, is_padding;  // a token waits for room; its flag does; padding follows; it is padding
  logic [63:0] count;                    // tokens of the chunk that have left or are held
  logic [7:0] closing;
  logic [3:0] element_bytes;
  logic full, pushes, tells, fills, ends, ended;
  sluice::token_t held, flag;

  assign full = count + 64'd1 == 64'(CHUNK);
  assign in_take = in.valid && !holds && !flags && !pads;
  assign pushes = holds && out_ready;
  assign tells = flags && padding_ready;
  assign fills = pads && !holds && !flags;
  assign ends = in.ended && !holds && !flags && !pads && count != 0;
  assign ended = in.ended && !holds && !flags && !pads && count == 0;
  always_comb begin
    flag = sluice::with_stop(sluice::tile(1, 1, 1, 0), held.stop);
    flag.value = is_padding == MARKS_DATA ? 0 : 1;
    if (MARKS_DATA && is_padding) flag.valid_rows = 0;
  end
  assign out = sluice::push_of(pushes, ended, now, held);
  assign padding = sluice::push_of(tells, ended, now, flag);
  assign status = sluice::status_of(in_take || pushes || tells || fills || ends, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      holds <= 0;
      flags <= 0;
      pads <= 0;
      count <= '0;
    end else if (in_take) begin
      holds <= 1;
      is_padding <= 0;
      held <= sluice::with_stop(in.token, full ? in.token.stop + 8'd1 : 8'd0);
      element_bytes <= in.token.element_bytes;
      count <= full ? 64'd0 : count + 64'd1;
      pads <= !full && in.token.stop != 0;
      closing <= in.token.stop + 8'd1;
    end else if (pushes) begin
      holds <= 0;
      flags <= 1;
    end else if (tells) flags <= 0;
    else if (fills) begin
      holds <= 1;
      is_padding <= 1;
      held <= sluice::with_stop(sluice::tile(PAD[31:0], PAD[95:64], element_bytes, WRITE_BACK_MU), full ? closing : 8'd0);
      held.valid_rows <= 0;
      count <= full ? 64'd0 : count + 64'd1;
      pads <= !full;
    end else if (ends) begin
      pads <= 1;
      closing <= 8'd1;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !flags && !pads && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
  `SLUICE_WAITS(flags && !padding_ready, room, padding, 0)
endmodule
