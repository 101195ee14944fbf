/* Doubling with the factor of the Gram matrix. */
DEFINE_DOUBLE(double_lanes_root, true)
