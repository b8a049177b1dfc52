# Writes the assembly that carries the embedded files: reads their paths (sorted) on standard
# input, each becomes a zero-terminated copy of the file, then comes the table of
# {name, first byte, past the last byte} that embed.c searches by name.
# -v extra="name=path" adds one file from elsewhere under a name of its own.
function add(name, path) { names[count] = name; paths[count] = path; count++ }
BEGIN { count = 0; split(extra, part, "="); pending = (extra != "") }
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
  }
  print ".section .data.rel.ro,\"aw\""
  print ".balign 8"
  print ".globl tdm_embedded_files\ntdm_embedded_files:"
  for (i = 0; i < count; i++) printf "  .quad .Lname%d, .Lstart%d, .Lend%d\n", i, i, i
  print ".globl tdm_embedded_count\ntdm_embedded_count:"
  printf "  .quad %d\n", count
  print ".section .note.GNU-stack,\"\",%progbits"
}
