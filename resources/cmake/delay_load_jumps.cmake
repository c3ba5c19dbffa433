# Writes the jumps of a part of a program that is loaded when it is first called; see DelayLoad.cmake.
#   cmake -D NM=nm -D MODULE=libNAME.so -D OBJECTS=A.o|B.o -D JUMPS=OUT.S -P delay_load_jumps.cmake
#
# A jump goes to the address in its slot. Before the module is loaded that is a piece of code that puts the number of the function down, keeps
# the registers that hold arguments, asks sluice_delay_load_address for the function, and goes there as if it had been called at once.

string(REPLACE "|" ";" objects "${OBJECTS}")
execute_process(COMMAND ${NM} --defined-only --extern-only ${objects} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" symbols "${symbols}")
set(functions)
foreach(symbol ${symbols})
  if(symbol MATCHES " T ([^ ]+)$")
    list(APPEND functions ${CMAKE_MATCH_1})
  elseif(symbol MATCHES " [BDR] ")
    message(FATAL_ERROR "${symbol}: a part that is loaded when it is first called cannot share data with the program")
  endif()
endforeach()

set(number 0)
foreach(function ${functions})
  string(APPEND code "  .globl ${function}\n  .type ${function}, @function\n${function}:\n  jmp *slots+8*${number}(%rip)\n"
    "first${number}:\n  push $${number}\n  jmp load\n")
  string(APPEND slots "  .quad first${number}\n")
  string(APPEND names "name${number}: .asciz \"${function}\"\n")
  string(APPEND pointers "  .quad name${number}\n")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${JUMPS} "# The functions of ${MODULE}; written by delay_load_jumps.cmake.
  .text
load:
  push %rbp
  mov %rsp, %rbp
  push %rax
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  push %r10
  sub $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  and $-16, %rsp
  lea module(%rip), %rdi
  lea names(%rip), %rsi
  lea slots(%rip), %rdx
  mov $${number}, %ecx
  mov 8(%rbp), %r8d
  call sluice_delay_load_address@PLT
  mov %rax, %r11
  lea -192(%rbp), %rsp
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  add $128, %rsp
  pop %r10
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  pop %rax
  pop %rbp
  add $8, %rsp
  jmp *%r11
${code}
  .data
  .balign 8
slots:
${slots}
  .section .data.rel.ro, \"aw\"
  .balign 8
names:
${pointers}
  .section .rodata
module: .asciz \"${MODULE}\"
${names}
  .section .note.GNU-stack, \"\", @progbits
")
