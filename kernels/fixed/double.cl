/* Doubling with the Gram matrix. */
DEFINE_DOUBLE(double_lanes, false)
