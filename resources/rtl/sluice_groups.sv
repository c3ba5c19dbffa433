// Where the tokens of groups lie on chip: buffers and tuples travel as references to them. Every operator that makes groups has
// places of its own. Behavioural.
//@ simulation
`ifndef SLUICE_GROUPS
`define SLUICE_GROUPS
package sluice_groups;
  sluice::token_t tokens[sluice_program::GROUP_TOKENS];
endpackage
`endif
