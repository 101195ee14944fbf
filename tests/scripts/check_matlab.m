% Checks that the MAT-file of a result holds the numbers that Octave reads from the result itself, where indices are
% reversed: octave-cli check_matlab.m RESULT.h5 RESULT.mat
args = argv();
r = load(args{2});
arrays = fieldnames(r.dimensions)';
numbers = 0;
for name = arrays
  name = name{1};
  over = r.dimensions.(name);
  lengths = cellfun(@(d) numel(r.(d)), over);
  shape = [lengths, ones(1, 2 - numel(lengths))];
  assert(isequal(size(r.(name)), size(zeros(shape))), name);
  assert(ischar(r.units.(name)) && ischar(r.long_names.(name)), name);
  if iscell(r.(name)), continue; end
  raw = load(args{1}, name).(name);
  raw = permute(reshape(double(raw), [fliplr(lengths), 1, 1]), [numel(lengths):-1:1, numel(lengths) + (1:2)]);
  assert(isequaln(r.(name)(:), raw(:)), name);
  numbers += numel(raw);
end
assert(numel(arrays) > 3 && numbers > 50);
assert(ischar(r.title) && ischar(r.provenance.sweep) && r.provenance.runs >= 1);
if isfield(r, 'refined')
  points = numel(r.refined.point);
  assert(points > 100 && numel(r.refined.spectral_radius) == points && iscellstr(r.refined.hold));
  assert(all((r.refined.spectral_radius <= 1 + 1e-9) == r.refined.stable));
end
printf('%d numbers\n', numbers);
