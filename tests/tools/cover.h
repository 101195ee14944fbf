/* Covering arrays of strength two: rows in which every value of every factor meets every value of every other, but for
 * those that a judge refuses. Value 0 of every factor is its standard, and the row of standards is accepted. */
#ifndef COSWEEP_TESTS_COVER_H
#define COSWEEP_TESTS_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COVER_FACTORS = 144 };

/* Whether a row is accepted: of every factor the number of its value, [factors]. */
typedef bool cover_judge(void *context, const unsigned char *row);

struct cover_counts {
  size_t pairs, covered, refused; /* of the array in hand */
  size_t met, marked;             /* of all arrays; marked: see cover_mark */
  size_t asked;                   /* rows shown to the judge */
};

struct cover;

/* `values` [factors]: how many each factor has. A value that is refused among standards is tried with each other value
 * that is not, and so on: its companions. A pair is refused if it is among standards with all companions of both;
 * `patient`: and with any other value besides. Everything follows from the seed. */
struct cover *cover_new(const size_t *values, size_t factors, uint64_t seed, bool patient, cover_judge *judge,
                        void *context);
void cover_free(struct cover *cover);

/* The next row, with a pair that is new; false: there is none. */
bool cover_next(struct cover *cover, unsigned char *row);
/* Begins another array, of the pairs covered before and of those that chance brings beside them. */
void cover_again(struct cover *cover);

/* Marks the pairs of a row. */
void cover_mark(struct cover *cover, const unsigned char *row);
struct cover_counts cover_counted(const struct cover *cover);
/* Whether a pair was found to be refused. */
bool cover_refused(const struct cover *cover, size_t factor, size_t value, size_t other, size_t with);

#endif
