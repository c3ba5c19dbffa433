// Counter2D: the rows and the columns of a grid, once, or for every element of `trigger`. The row leaves before the column.
//@ operator Counter2D
//@ parameter ROWS rows
//@ parameter COLUMNS columns
//@ parameter TRIGGERS triggers
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_counter2_d #(
    parameter longint ROWS = 1,
    parameter longint COLUMNS = 1,
    parameter int TRIGGERS = 0  // 0 or 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t trigger,
    output logic trigger_take,
    output sluice::push_t row, column,
    input logic row_ready, column_ready,
    output sluice::status_t status
);
  logic started, begins, busy, emits, last, ended, row_left;
  logic [7:0] stop, level;
  logic [63:0] number, row_number, column_number;
  sluice::cycle_t begun_at;
  logic tells_row;

  series places (.clk, .rst, .now, .begins, .count(64'(ROWS * COLUMNS)), .ready(row_left && column_ready), .busy, .emits, .last,
                 .index(number), .begun_at);
  assign begins = !rst && !busy && (TRIGGERS > 0 ? trigger.valid : !started);
  assign trigger_take = TRIGGERS > 0 && begins;
  assign ended = !busy && (TRIGGERS > 0 ? trigger.ended : started);
  assign tells_row = busy && !row_left && row_ready;
  assign level = last ? stop + 8'd2 : column_number == 64'(COLUMNS - 1) ? 8'd1 : 8'd0;
  assign row = sluice::push_of(tells_row, ended, now, sluice::with_stop(sluice::number(row_number), level));
  assign column = sluice::push_of(emits, ended, now, sluice::with_stop(sluice::number(column_number), level));
  assign status = sluice::status_of(begins || tells_row || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      started <= 0;
      row_left <= 0;
    end else if (begins) begin
      started <= 1;
      stop <= TRIGGERS > 0 ? trigger.token.stop : 8'd0;
      row_number <= '0;
      column_number <= '0;
    end else if (tells_row) row_left <= 1;
    else if (emits) begin
      row_left <= 0;
      column_number <= column_number == 64'(COLUMNS - 1) ? 64'd0 : column_number + 64'd1;
      if (column_number == 64'(COLUMNS - 1)) row_number <= row_number + 64'd1;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(TRIGGERS > 0 && !busy && !trigger.valid && !trigger.ended, token, trigger, 0)
  `SLUICE_WAITS(busy && !row_left && !row_ready, room, row, 0)
  `SLUICE_WAITS(busy && row_left && !column_ready, room, column, 0)
endmodule
