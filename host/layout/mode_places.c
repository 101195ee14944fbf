#include "mode_places.h"

size_t cs_mode_places_at(const struct cs_layout *l, enum cs_modes_part part) {
  const size_t r = l->dims.exact, x = l->dims.states, blocks = x * l->dims.largest;
  const size_t count[CS_MODES] = {[CS_MODES_M] = r * r,
                                  [CS_MODES_Y] = l->dims.outputs * r,
                                  [CS_MODES_T] = r * r,
                                  [CS_MODES_I] = r * r,
                                  [CS_MODES_RATE] = r,
                                  [CS_MODES_SLOW] = r,
                                  [CS_MODES_A] = blocks,
                                  [CS_MODES_B] = x * l->dims.inputs,
                                  [CS_MODES_C] = l->dims.outputs * x,
                                  [CS_MODES_E] = x,
                                  [CS_MODES_OWN] = blocks,
                                  [CS_MODES_OWN_I] = blocks,
                                  [CS_MODES_RATE_A] = x,
                                  [CS_MODES_OCTAVE] = 1,
                                  [CS_MODES_OCTAVE_ALWAYS] = 1,
                                  [CS_MODES_TURN] = 1};
  size_t at = 0;
  for (int i = 0; i < (int)part; i++)
    at += count[i];
  return at;
}
