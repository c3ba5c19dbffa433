#!/bin/bash
# Counts the cells that Yosys makes of the FIFO and of the control of every operator (resources/rtl) into a table:
# ./dev rtl counts. A line is written when its module is done, and one that the table has is not counted again.
#   count.sh PROJECT COUNTS.csv [KIND...]    PROJECT: a folder that emit rtl wrote; KIND: only these
# A token is 111 bits and its value. The machine's clock and the stamps of tokens, which only the timing level has, are cut to one bit, so
# what is left is what holds, checks and moves tokens. Products and quotients of sizes are boxes that are counted, no look-up tables; memories stay
# memories, whose bits are counted. lut: of 6 inputs. nand: the same logic as gates of two inputs (NAND, NOT).
set -euo pipefail
project=$1 counts=$2
shift 2
only=" $* "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$project" "$work/project"
touch "$counts"
counts=$(realpath "$counts")
cd "$work/project"
for numbers in tokens degrees neighbours; do echo 0000000000000001 >$numbers.hex; done  # what sources play
sed -i 's/localparam int TIME_BITS = 48;/localparam int TIME_BITS = 1;/' lib/sluice_types.sv
grep -q 'TIME_BITS = 1;' lib/sluice_types.sv
plain=$(sed -n 's/^DESIGN = //p' Makefile | sed 's/ program.sv//')
boxes=$(sed -n 's/^BOXES = //p' Makefile)

cells() {  # FILE PATTERN: how many there are of them
  awk -v pattern="^$2\$" '$1 ~ pattern { sum += $2 } END { print sum + 0 }' "$1"
}

count() {  # KIND MODULE VALUE_BITS [PARAMETER NUMBER]...
  local kind=$1 module=$2 value_bits=$3 parameters=""
  shift 3
  local depth=${2:-}
  [[ $only == "  " || $only == *" $kind "* ]] || return 0
  grep -q "^$kind,$((111 + value_bits)),$depth," "$counts" && return
  while (($# > 0)); do parameters+=" -chparam $1 $2" && shift 2; done
  printf '`define SLUICE_VALUE_BITS %d\npackage sluice_program;\n  localparam int GROUP_TOKENS = 1;\nendpackage\n' "$value_bits" >sizes.sv
  if ! timeout "${SLUICE_SECONDS:-900}" yosys -q -p "read_verilog -sv -defer $plain; read_verilog -sv -lib $boxes
    hierarchy -check -top $module$parameters; proc; flatten; opt; wreduce; opt_clean; tee -q -o memory.txt stat
    chtype -set box_multiply t:\$mul; chtype -set box_divide t:\$div t:\$mod t:\$divfloor t:\$modfloor
    alumacc; share; opt; memory -nomap; opt_clean; opt -fast -full; techmap; opt -fast; design -save mapped
    abc -fast -lut 6; opt_clean; tee -q -o lut.txt stat; design -load mapped; abc -fast -g NAND; opt_clean; tee -q -o nand.txt stat" \
    >log.txt 2>&1; then
    echo "$kind: not counted: $(tail -1 log.txt)" >&2
    return
  fi
  local memory_bits
  memory_bits=$(awk '/Number of memory bits:/ { bits = $5 } END { print bits + 0 }' memory.txt)
  echo "$kind,$((111 + value_bits)),$depth,$(cells lut.txt '\\$lut'),$(cells lut.txt '\\$_.*DFF.*'),$memory_bits,$(
    cells nand.txt '\\$_(NAND|NOT)_'),$(cells lut.txt box_multiply),$(cells lut.txt box_divide)" >>"$counts"
  echo "$(tail -1 "$counts")"
}

grep -q '^kind,' "$counts" || {
  echo "# $(yosys -V | cut -d'(' -f1 | sed 's/ *$//'): resources/synthesis/count.sh"
  echo "kind,token_bits,depth,lut,ff,memory_bits,nand,multipliers,dividers"
} >>"$counts"
for depth in 1 2 4 16 64 256; do
  for value_bits in 1 64; do count FIFO stream_fifo $value_bits DEPTH $depth; done
done
for file in $(grep -l '^//@ operator' lib/*.sv); do
  for kind in $(sed -n 's/^\/\/@ operator //p' "$file"); do count "$kind" "operator_$(basename "$file" .sv)" 64; done
done
