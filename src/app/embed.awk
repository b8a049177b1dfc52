# Writes the assembly that carries the embedded files: reads their paths (sorted) on standard
# input, each becomes a zero-terminated copy of the file, then comes the table of
# {name, text, past the text, code, past the code} that embed.c searches by name. The code of
# "lib/gpus.lua" is compiled/lib/gpus.luac; files outside `modules`, a list of names, have none.
# -v extra="name=path" adds one file from elsewhere under a name of its own.
function add(name, path) { names[count] = name; paths[count] = path; count++ }
function code(name) { sub(/\.lua$/, ".luac", name); return compiled "/" name }
BEGIN {
  count = 0
  split(extra, part, "="); pending = (extra != "")
  split(modules, list, " "); for (i in list) is_module[list[i]] = 1
}
$0 == "" { next }
{
  if (pending && part[1] < $0) { add(part[1], part[2]); pending = 0 }
  add($0, $0)
}
END {
  if (pending) add(part[1], part[2])
  print ".section .rodata"
  for (i = 0; i < count; i++) {
    printf ".Lname%d: .asciz \"%s\"\n", i, names[i]
    printf ".Lstart%d: .incbin \"%s\"\n.Lend%d: .byte 0\n", i, paths[i], i
    if (names[i] in is_module)
      printf ".Lcode%d: .incbin \"%s\"\n.Lpast%d: .byte 0\n", i, code(names[i]), i
  }
  print ".section .data.rel.ro,\"aw\""
  print ".balign 8"
  print ".globl tdm_embedded_files\ntdm_embedded_files:"
  for (i = 0; i < count; i++) {
    printf "  .quad .Lname%d, .Lstart%d, .Lend%d, ", i, i, i
    if (names[i] in is_module) printf ".Lcode%d, .Lpast%d\n", i, i
    else print "0, 0"
  }
  print ".globl tdm_embedded_count\ntdm_embedded_count:"
  printf "  .quad %d\n", count
  print ".section .note.GNU-stack,\"\",%progbits"
}
