#include "descriptors.h"

#include <fcntl.h>
#include <unistd.h>

/* Standard output is opened for reading alone: that tells it from a /dev/null that the user chose. */
bool cs_descriptors_open(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd) return false;
  return true;
}

bool cs_descriptors_output_closed(void) {
  const int flags = fcntl(STDOUT_FILENO, F_GETFL);
  return flags < 0 || (flags & O_ACCMODE) == O_RDONLY;
}
