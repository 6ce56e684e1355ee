# profiling/engine/cmake/own_sources.cmake: writes kernel texts as initialisers of a C++ list.
#   cmake -DROOT=kernels/ -DFILES=a;b -DOUT=file.inc -P own_sources.cmake
set(text "")
foreach(path IN LISTS FILES)
  # Read as bytes: CMake takes brackets and backslashes of a text for its own.
  file(READ "${ROOT}/${path}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  # A literal per line: a text of one piece would be longer than a compiler need take.
  string(REPLACE "\\x0a" "\\x0a\"\n\"" bytes "${bytes}")
  string(APPEND text "kernel_source(\"${path}\",\n\"${bytes}\"),\n")
endforeach()
file(WRITE "${OUT}" "${text}")
