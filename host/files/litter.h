/* Files, folders and processes that do not outlive the process. Whoever makes one removes it; what is still there when
 * a signal ends the process is removed by cs_litter_remove. Known per process, like its signals. */
#ifndef COSWEEP_LITTER_H
#define COSWEEP_LITTER_H

#include <stdbool.h>
#include <sys/types.h>

#include "text.h"

/* Making something and noting it, and likewise removing and forgetting it, are one step for cs_litter_remove if they
 * are between these two. Not nested; the calls between them are short. */
void cs_litter_begin(void);
void cs_litter_end(void);

/* Notes a file, or a folder with everything in it, until it is forgotten. Without memory it is not noted. */
void cs_litter_note(const char *path);
void cs_litter_forget(const char *path);
/* A child, with its group where it leads one, until it has been waited for. */
void cs_litter_note_process(pid_t process);
void cs_litter_forget_process(pid_t process);

/* Ends the processes, then removes all that is noted, the newest first. Threads that come to cs_litter_begin from now
 * on stay there, so that nothing new is made: to be called when the process is about to end. */
void cs_litter_remove(void);

/* Removes a folder and everything in it, or a file. */
void cs_litter_remove_tree(const char *path);

/* A new folder `path` in `place`, noted; false: errno says why not. It is called cosweep-litter-XXXXXX.d, and a file
 * cosweep-litter-XXXXXX beside it is locked (flock) while the process lives. Where the owner of others in `place` was
 * killed, they are removed before. */
bool cs_litter_make_folder(const char *place, struct cs_text *path);
/* Removes it with everything in it, and forgets it. */
void cs_litter_drop_folder(const char *path);
/* Where temporary files belong: TMPDIR, or /tmp. */
const char *cs_litter_place(void);

#endif
