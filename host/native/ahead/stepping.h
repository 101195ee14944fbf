/* What fixed/rolled.clh does for large models, whose numbers are plain ones: a row of z goes along vectors, and entries
 * meet vectors of several steps. Products with r of rows that are not r's are added up one by one in single steps, as
 * they are in several at a time: both have the same bits. */
#ifndef COSWEEP_NATIVE_STEPPING_H
#define COSWEEP_NATIVE_STEPPING_H

#include "wide.h"

#define NEXT_ROWS(ROWS_)                                                                                           \
  case ROWS_: {                                                                                                    \
    wide all[ROWS_];                                                                                               \
    double acc[ROWS_], each[WIDE];                                                                                 \
    WIDE_UNROLL for (int r = 0; r < ROWS_; r++) all[r] = wide_same(0.0);                                           \
    WIDE_UNROLL for (int r = 0; r < ROWS_; r++) acc[r] = part != 0 ? part[r * AHEAD] : 0.0;                        \
    if (run >= EXACT_RUNS && which == ALL_COLUMNS && s < end) {                                                    \
      for (int j = SEGMENT_FIRST[s]; j < SEGMENT_END[s]; j++, place++)                                             \
        WIDE_UNROLL for (int r = 0; r < ROWS_; r++) acc[r] = FMA(p[place + r * length], z[j], acc[r]);             \
      s++;                                                                                                         \
    }                                                                                                              \
    for (; s < end; s++) {                                                                                         \
      const int first = SEGMENT_FIRST[s], count = SEGMENT_END[s] - first;                                          \
      int j = 0;                                                                                                   \
      for (; j + WIDE <= count; j += WIDE) {                                                                       \
        const wide column = wide_from(z + first + j);                                                              \
        WIDE_UNROLL for (int r = 0; r < ROWS_; r++) all[r] =                                                       \
            wide_fma(wide_from(p + place + r * length + j), column, all[r]);                                       \
      }                                                                                                            \
      for (; j < count; j++)                                                                                       \
        WIDE_UNROLL for (int r = 0; r < ROWS_; r++) acc[r] = FMA(p[place + r * length + j], z[first + j], acc[r]); \
      place += count;                                                                                              \
    }                                                                                                              \
    WIDE_UNROLL for (int r = 0; r < ROWS_; r++) {                                                                  \
      wide_to(each, all[r]);                                                                                       \
      for (int c = 0; c < WIDE; c++)                                                                               \
        acc[r] += each[c];                                                                                         \
      next[row + r] = IS_INCREMENT[row] ? acc[r] + z[row + r] : acc[r];                                            \
    }                                                                                                              \
    return;                                                                                                        \
  }

#endif
