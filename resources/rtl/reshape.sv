// Reshape: a dimension becomes chunks. The innermost one is padded where a stop, or the end of the stream, leaves a chunk
// incomplete.
//@ operator Reshape
//@ parameter DIM dim
//@ parameter CHUNK chunk
//@ parameter PADS pad.size
//@ parameter PAD pad
//@ parameter ADD_OUTER_DIM add_outer_dim
//@ parameter WRITE_BACK_MU write_back_mu
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_reshape #(
    parameter longint DIM = 0,
    parameter longint CHUNK = 1,
    parameter int PADS = 0,
    parameter logic [127:0] PAD = '0,
    parameter bit ADD_OUTER_DIM = 0,
    parameter bit WRITE_BACK_MU = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic [63:0] count;              // elements of the chunk that has begun, or groups of the dimension
  logic [7:0] closing;             // of the last padding tile
  logic [3:0] element_bytes;
  logic holds, looks, pads;        // an element that waits for room; that waits for the next one; padding follows
  sluice::token_t held, padding, passed;
  logic takes, full, incomplete, emits, pads_end, ended, last_pad;

  assign full = count + 64'd1 == 64'(CHUNK);
  assign takes = in.valid && !holds && !pads;
  assign in_take = takes;
  // Innermost: a chunk that is left incomplete by a stop goes on with padding.
  assign incomplete = DIM == 0 && in.token.stop != 0 && !full;

  always_comb begin
    passed = in.token;
    if (DIM == 0) begin
      if (in.token.stop == 0) passed.stop = full ? 8'd1 : 8'd0;
      else passed.stop = full ? in.token.stop + 8'd1 : 8'd0;
    end else if (in.token.stop != 0 && full && 64'(in.token.stop) >= DIM) passed.stop = in.token.stop + 8'd1;
  end

  // With a dimension more, whether a chunk is the last is known when the next element is there, or the end.
  assign pads_end = DIM == 0 && in.ended && !holds && !pads && count != 0;
  assign emits = out_ready && (holds ? !looks || in.valid || in.ended : pads);
  assign last_pad = count + 64'd1 == 64'(CHUNK);
  always_comb begin
    padding = sluice::tile(PAD[31:0], PAD[95:64], element_bytes, WRITE_BACK_MU);
    padding.valid_rows = 0;
    padding.stop = last_pad ? closing : 8'd0;
  end
  assign ended = in.ended && !holds && !pads && (DIM != 0 || count == 0);
  assign out = sluice::push_of(emits, ended, now, !holds ? padding : looks && in.ended ? sluice::with_stop(held, 8'd2) : held);
  assign status = sluice::status_of(takes || emits || pads_end, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      count <= '0;
      holds <= 0;
      looks <= 0;
      pads <= 0;
    end else begin
      if (takes) begin
        holds <= 1;
        held <= passed;
        element_bytes <= in.token.element_bytes;
        looks <= DIM == 0 && ADD_OUTER_DIM && in.token.stop == 0 && full;
        if (DIM == 0) count <= full ? 64'd0 : count + 64'd1;
        else if (in.token.stop != 0 && 64'(in.token.stop) >= DIM) count <= full ? 64'd0 : count + 64'd1;
        if (incomplete) begin
          pads <= 1;
          closing <= in.token.stop + 8'd1;
        end
      end else if (emits) begin
        if (holds) holds <= 0;
        else begin
          count <= last_pad ? 64'd0 : count + 64'd1;
          pads <= !last_pad;
        end
      end else if (pads_end) begin
        pads <= 1;
        closing <= ADD_OUTER_DIM ? 8'd2 : 8'd1;
      end
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS((!holds && !pads && !in.valid && !in.ended) || (holds && looks && !in.valid && !in.ended), token, in, 0)
  `SLUICE_WAITS(!out_ready && (holds ? !looks || in.valid || in.ended : pads), room, out, 0)
  `SLUICE_FAULT(PADS == 0 && ((takes && incomplete) || pads_end), "a chunk is incomplete and there is no padding")
endmodule
