/* The adaptive method dopri5 (Dormand and Prince 5(4)) as tables: its tableau, and the weights by which a step differs
 * from the exact flow (docs/methods.md section 5). */
#ifndef COSWEEP_DOPRI5_H
#define COSWEEP_DOPRI5_H

enum { CS_DOPRI5_STAGES = 7, CS_DOPRI5_POWERS = 4 };

/* Rows of weights on the stages' slopes: the end of the step, its error estimate, and the powers 1 to 4 of theta in the
 * continuous solution, x~(theta) = x~(0) + sum_p theta^p (row p of the slopes). */
enum cs_dopri5_row { CS_DOPRI5_END, CS_DOPRI5_ERROR, CS_DOPRI5_DENSE, CS_DOPRI5_ROWS = 2 + CS_DOPRI5_POWERS };

double cs_dopri5_a(int stage, int slope);
double cs_dopri5_c(int stage);
double cs_dopri5_b(int row, int stage);

/* Weight of (hA)^power X_n, where X_n are the Taylor coefficients of the exact solution from the solver's own start. By
 * row: in the end minus the exact solution; in the error estimate; in the coefficient of theta^p of the continuous
 * solution minus that of the exact solution, whose terms n > 4 are left to the caller. Exactly 0 for power + n up to 5,
 * 4 and 4. 0 <= power < CS_DOPRI5_STAGES, 1 <= n. */
double cs_dopri5_weight(int row, int power, int n);

#endif
