/* What other versions write: nested lists, zeros, names without quotes, other numbers. */
model linearized_model "a comment"
  parameter Integer n = 2; parameter Integer m = 1; parameter Integer p = 0;
  parameter Real x0[2] = {-1.5e-3, +2};
  parameter Real u0[m] = zeros(1);
  parameter Real A[n,n] = {{0, 1}, {-1, -2}};
  parameter Real B[n,m] = zeros(n, m);
  parameter Real C[p,n] = zeros(0, 2);
  parameter Real D[p,m] = [];
  Real x[n](start = x0); // states
  input Real u[m];
  Real x_a = x[1];
  input Real 'u_1\'s' = u[1];
end linearized_model;
