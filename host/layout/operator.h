/* The matrices of a network. Apart from layout.h, so that kernels compiled ahead know them without the rest. */
#ifndef COSWEEP_OPERATOR_H
#define COSWEEP_OPERATOR_H

/* Matrices of the network as kernels use them. M and Y act on r = (x, 1): M [r][r], Y [outputs][r]. */
enum cs_operator {
  CS_OP_M,
  CS_OP_Y,
  CS_OP_A,
  CS_OP_B,
  CS_OP_C,
  CS_OP_D,
  CS_OP_L,
  CS_OP_S,    /* (I - D L)^-1 */
  CS_OP_BIAS, /* b */
  CS_OP_E,    /* e */
  CS_OP_MX,
  CS_OP_MU,
  CS_OP_MY,
  CS_OP_MC, /* constants of monitors; with them, their values at the equilibrium to which the network is shifted */
  CS_OP_EVENT_TIME,
  CS_OP_EVENT_SET,
  CS_OP_EVENT_ADD,
  /* Of models with state events or modes (course.h). Conditions hold where WHEN_X x + WHEN_U u + WHEN_Y y + WHEN_BOUND
   * is not negative; CHANGE_X, _U, _Y: terms of what events set states to or add to them. F: f. */
  CS_OP_F,
  CS_OP_WHEN_X,
  CS_OP_WHEN_U,
  CS_OP_WHEN_Y,
  CS_OP_WHEN_BOUND,
  CS_OP_CHANGE_X,
  CS_OP_CHANGE_U,
  CS_OP_CHANGE_Y,
  CS_OPERATORS
};

#endif
