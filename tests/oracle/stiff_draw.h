/* Random stiff networks of a few shapes: all numbers are parameters, so that many networks share a kernel. */
#ifndef COSWEEP_TESTS_STIFF_DRAW_H
#define COSWEEP_TESTS_STIFF_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum { STIFF_SHAPES = 3, STIFF_NUMBERS = 64 };

/* What makes a network stiff. */
enum stiff_kind { STIFF_LAG, STIFF_OSCILLATOR, STIFF_GAIN, STIFF_KINDS };

struct stiff_network {
  enum stiff_kind kind;
  double rate;                 /* fastest mode times H */
  double value[STIFF_NUMBERS]; /* of the shape's parameters */
};

/* The model of a shape, with the names of its parameters, [numbers], "a_0_0_0" for row 0 and column 0 of A of
 * subsystem 0. */
struct stiff_shape {
  struct cs_text model;
  char name[STIFF_NUMBERS][80];
  size_t numbers;
};

void stiff_shape_open(size_t number, struct stiff_shape *shape);
void stiff_shape_free(struct stiff_shape *shape);

/* Numbers of a network of that shape whose fastest mode is rate/H. */
void stiff_draw(uint64_t *state, size_t shape, double rate, double H, struct stiff_network *network);

#endif
