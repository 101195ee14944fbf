/* What a coupling does and why: feed-through loops, zero-stability, modes, limits of the step size, the mode that goes
 * first, what merging subsystems would change (docs/methods.md section 10). */
#ifndef COSWEEP_EXPLAIN_H
#define COSWEEP_EXPLAIN_H

#include "experiment.h"

enum { CS_EXPLAIN_ORDERS = 4 }; /* 0 to 3 */

struct cs_complex {
  double re, im;
};

struct cs_explain_wish {
  struct cs_experiment experiment;
  bool derivatives, rollback, integrals; /* what the subsystems can do (--can) */
  struct cs_approach approach;           /* --for: of gauss_seidel in the model's order; sequence NULL */
  unsigned order;
  const double *H; /* [Hs] at which the leading mode is shown; none: 1.02 times the first limit of --for */
  size_t Hs;
  double steps[2]; /* of which patterns are made (s); 0: none */
  double t_end;    /* of the run that gains are for (s); 0: chosen */
};

/* An eigenvalue of the coupled model. */
struct cs_explain_mode {
  struct cs_complex lambda; /* 1/s */
  double *share;            /* [parts] of the subsystems, together 1; NaN for eigenvectors without any */
};

/* Zero-stability: the largest absolute eigenvalue with which differences of exchanged values go on at H = 0. */
struct cs_explain_zero {
  struct cs_approach approach; /* sequence: borrowed */
  bool solved;
  unsigned order;
  double factor;
};

/* Stability along H of a master with one order. */
struct cs_explain_limit {
  bool there;           /* computed: some holds have no order 0 */
  bool stable_at_first; /* at the smallest H */
  double *change;       /* [changes] H of every change, ascending (s) */
  size_t changes;
  double excess; /* of models without damping: excess_growth_rate at `small` (1/s), else NaN */
};

struct cs_explain_row {
  struct cs_approach approach; /* owns its sequence */
  struct cs_explain_limit order[CS_EXPLAIN_ORDERS];
};

/* The largest eigenvalue of a macro step of size H, of a pair that with im >= 0. */
struct cs_explain_leading {
  double H;
  struct cs_complex lambda;
  double *sensitivity;    /* [links] d ln|lambda| / d ln gain */
  double *share;          /* [parts], together 1 */
  struct cs_complex *all; /* [eigenvalues] of the step */
  size_t eigenvalues;
};

struct cs_explain_merge {
  size_t i, j;
  struct cs_explain_limit limit;
};

/* Bounds of output errors by defects, RMS over a run of T: see cs_snapshot_gains. NULL: the model grows. */
struct cs_explain_gains {
  double T; /* s */
  double *connection, *output, *integration;
};

/* A repeated sequence of two step sizes, "aab". */
enum { CS_EXPLAIN_STEPS = 6 };
struct cs_explain_pattern {
  char name[CS_EXPLAIN_STEPS + 1]; /* of a and b, wish->steps */
  double radius, rate;             /* of one repetition, and in 1/s */
};

/* What repetitions of a step do: their contractions, and with the relaxation that is best under jacobi. */
enum { CS_EXPLAIN_REPEATERS = 2 }; /* jacobi, gauss_seidel in the model's order */
struct cs_explain_repetition {
  double H, contraction[CS_EXPLAIN_REPEATERS]; /* without relaxation */
  double relaxation, relaxed;                  /* the best, of those that are legal, and the contraction with it */
};

enum cs_growth { CS_GROWTH_DAMPED, CS_GROWTH_UNDAMPED, CS_GROWTH_GROWS };

struct cs_explanation {
  const struct cs_model *model;
  struct cs_snapshot network;
  const struct cs_explain_wish *wish;
  const char *jumping; /* cs_engine_jumping with the settings of the wish */
  /* feed-through */
  size_t loops, *loop;       /* [outputs] number of the loop that an output belongs to, from 1; 0: none */
  double rcond;              /* of I - D L */
  struct cs_complex *direct; /* [outputs] eigenvalues of D L, largest first */
  struct cs_explain_zero *zero;
  size_t zeros;
  /* modes, [states], the fastest first */
  struct cs_explain_mode *mode;
  double fastest, slowest; /* largest |lambda|, and the smallest that is not neutral (1/s); 0: there is none */
  double grows;            /* largest Re lambda of modes that are not neutral (1/s) */
  enum cs_growth growth;
  /* limits */
  double first, last, small; /* range of H, and the one of `excess` (s) */
  struct cs_explain_row *row;
  size_t rows;
  struct cs_explain_leading *leading;
  size_t leadings;
  struct cs_explain_merge *merge;
  size_t merges;
  struct cs_explain_repetition *repetition; /* with wish->rollback */
  size_t repetitions;
  struct cs_explain_pattern worst; /* the one that grows most of all patterns of up to CS_EXPLAIN_STEPS steps */
  size_t patterns;                 /* that were tried; 0: not asked for */
  struct cs_explain_gains gains;
};

/* Close *explanation also on failure. The wish and the model are borrowed. */
int cs_explain_open(const struct cs_model *model, const struct cs_explain_wish *wish,
                    struct cs_explanation *explanation, struct cs_error *error);
void cs_explain_close(struct cs_explanation *explanation);

/* Whether |lambda| is so much smaller than the fastest that the mode counts as neutral. */
bool cs_explain_is_neutral(const struct cs_explanation *explanation, const struct cs_explain_mode *mode);
/* The first limit: INFINITY where there is none up to the last H, 0 if the smallest is unstable, NaN if not there. */
double cs_explain_first(const struct cs_explain_limit *limit);
/* The row of --for; NULL if it has none. */
const struct cs_explain_row *cs_explain_row_for(const struct cs_explanation *explanation);
/* ln|lambda| / H (1/s) and arg lambda / (2 pi H) (Hz). */
double cs_explain_growth(const struct cs_explain_leading *leading);
double cs_explain_frequency(const struct cs_explain_leading *leading);

/* Appends sentences of advice, one a line. */
void cs_explain_add_advice(const struct cs_explanation *explanation, struct cs_text *text);
void cs_explain_add_text(const struct cs_explanation *explanation, struct cs_text *text);
void cs_explain_add_json(const struct cs_explanation *explanation, struct cs_text *text);
/* Appends a page of HTML: the same in tables, limits and eigenvalues as figures. */
int cs_explain_add_page(const struct cs_explanation *explanation, struct cs_text *page, struct cs_error *error);
/* Appends "gauss_seidel cell1 first", with " iterations 1" and " taylor" where these are not usual. */
void cs_explain_add_approach(const struct cs_explanation *explanation, const struct cs_approach *approach,
                             struct cs_text *text);

#endif
