# Every foreign library has one door: fails where a file other than these includes its header.
#   cmake -DHOST=host -P one_door.cmake
set(doors
  "hdf5(_hl)?[.]h"         "hdf5_door[.]h"
  "hdf5_door[.]h"          "(store.*[.][ch]|(hdf5_door|hdf5file)[.]c)"
  "zlib[.]h"               "(chunk|matextent)[.]c"
  "CL/.*"                  "device_private[.]h"
  "device_private[.]h"     "device(_list|_host|_opencl|_opened)?[.]c"
  "matio[.]h"              "matfile[.]c"
  "cjson/.*|cJSON[.]h"     "json.*[.]c|json_private[.]h"
  "lapacke[.]h|cblas[.]h"  "linalg(_separate)?[.]c")

file(GLOB_RECURSE files ${HOST}/*.c ${HOST}/*.h)
# What is printed goes through print.c.
set(prints "(^|[^a-z_])(v?f?d?printf|f?puts|f?putc|putchar|perror)[(]|write[(].*(std(out|err)|STD(OUT|ERR)_)")
foreach(file IN LISTS files)
  file(STRINGS ${file} lines REGEX "${prints}")
  if(file MATCHES "/core/print[.]c$")
    set(printing "${lines}")
  elseif(lines AND NOT file MATCHES "/manual/")
    message(SEND_ERROR "${file}: prints: ${lines}; want core/print.h")
  endif()
endforeach()
if(NOT printing)
  message(SEND_ERROR "core/print.c prints nothing: this check has lost its subject")
endif()

while(doors)
  list(POP_FRONT doors header door)
  set(users 0)
  foreach(file IN LISTS files)
    file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"](${header})[>\"]")
    get_filename_component(name ${file} NAME)
    if(NOT lines)
      continue()
    endif()
    math(EXPR users "${users} + 1")
    if(NOT name MATCHES "^(${door})$")
      message(SEND_ERROR "${file}: ${lines}; want it in ${door} alone")
    endif()
  endforeach()
  if(users EQUAL 0)
    message(SEND_ERROR "no file includes ${header}: this check has lost its subject")
  endif()
endwhile()
