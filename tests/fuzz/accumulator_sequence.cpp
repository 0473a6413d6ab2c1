#include "fuzz/other_sequences.hpp"
#include "fuzz/spoilt_sparse.hpp"

namespace fuzz {

AccumulatorSequence::AccumulatorSequence() {
  Source none(nullptr, 0);
  make(none, 0);
  make(none, 1);
}

void AccumulatorSequence::make(Source& in, int which) {
  Told told;
  told.d = in.from(1, 3), told.t = in.from(1, 2), told.intercept = in.one_in(2) ? 0 : 1;
  handle_[which] = fresh(told);
  told_[which] = std::move(told);
}

AccumulatorHandle AccumulatorSequence::fresh(const Told& told) {
  Caller call;
  Output<freeridge_accumulator*> out(1);
  const auto status = ASK(freeridge_accumulator_create, 0, told.d, told.t, told.intercept, out);
  if (status != FREERIDGE_OK) wrong("freeridge_accumulator_create");
  AccumulatorHandle handle(out.values[0]);
  // Rows that follow one another at once.
  for (std::size_t k = 0; k < told.given.size();) {
    if (told.given[k].other) {
      const AccumulatorHandle other = fresh({told.d, told.t, told.intercept, *told.given[k].other});
      if (ASK(freeridge_accumulator_merge, 0, handle.get(), other.get()) != FREERIDGE_OK)
        wrong("rows that were merged are not merged again");
      ++k;
      continue;
    }
    Given rows;
    for (; k < told.given.size() && !told.given[k].other; ++k) {
      const Given& more = told.given[k];
      rows.x.insert(rows.x.end(), more.x.begin(), more.x.end());
      rows.y.insert(rows.y.end(), more.y.begin(), more.y.end());
      rows.weights.insert(rows.weights.end(), more.weights.begin(), more.weights.end());
    }
    if (ASK(freeridge_accumulator_add, 0, handle.get(),
            support::at(FREERIDGE_ROW_MAJOR, static_cast<std::int64_t>(rows.weights.size()), told.d, rows.x.data(),
                        told.d),
            FREERIDGE_ROW_MAJOR, rows.y.data(), told.t, rows.weights.data()) != FREERIDGE_OK)
      wrong("rows that were added are not added at once");
  }
  return handle;
}

freeridge_status AccumulatorSequence::add_sparse(freeridge_accumulator* handle, const Told& told, const Given& rows,
                                                 const double* weights, Caller& call) {
  const auto n = static_cast<std::int64_t>(rows.weights.size());
  support::Matrix x(n, told.d);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < told.d; ++k) x(i, k) = rows.x[size_of(i * told.d + k)];
  const support::Sparse thin(x, n % 2 == 0 ? FREERIDGE_CSR : FREERIDGE_CSC);
  return ASK(freeridge_accumulator_add, 0, handle, support::at(thin), FREERIDGE_ROW_MAJOR, rows.y.data(), told.t,
             weights);
}

void AccumulatorSequence::misuse_sparse(Source& in, int which) {
  const Told& told = told_[which];
  const std::int64_t n = 3;
  const SpoiltSparse x(in, n, told.d);
  const std::vector<double> y(size_of(n, told.t), 1.0);
  freeridge_accumulator* const handle = handle_[which].get();
  Caller call;
  const bool added =
      ASK(freeridge_accumulator_add, 0, handle, support::at(x.format, x.n, told.d, x.start, x.index, x.value),
          FREERIDGE_COL_MAJOR, y.data(), n, nullptr) == FREERIDGE_OK;
  if (added != (x.n == 0)) wrong("freeridge_accumulator_add took what cannot be right, or refused no rows");
  const double lambda = 0.5;
  Output<double> errors(size_of(n, told.t));
  const auto status =
      ASK(freeridge_accumulator_errors, 0, handle, support::at(x.format, x.n, told.d, x.start, x.index, x.value),
          FREERIDGE_COL_MAJOR, y.data(), n, nullptr, nullptr, 1, &lambda, errors, n);
  if (status == FREERIDGE_OK || status == FREERIDGE_UNDEFINED)
    wrong("freeridge_accumulator_errors took what cannot be right");
  if (ASK(freeridge_accumulator_squared_errors, 0, handle,
          support::at(x.format, x.n, told.d, x.start, x.index, x.value), FREERIDGE_COL_MAJOR, y.data(), n, nullptr, 1,
          &lambda, nullptr, errors, 1) == FREERIDGE_OK)
    wrong("freeridge_accumulator_squared_errors took what cannot be right");
}

void AccumulatorSequence::add(Source& in, int which, bool sparse) {
  Told& told = told_[which];
  if (told.given.size() > 40) return;
  const std::int64_t n = in.one_in(16) ? in.from(1, 60) : in.from(1, 4);
  Given rows{in.tame(n * told.d), in.tame(n * told.t), std::vector<double>(size_of(n), 1.0), nullptr};
  for (double& value : rows.x)
    if (sparse && in.one_in(2)) value = 0;
  const bool weighted = in.one_in(3);
  if (weighted)
    for (double& weight : rows.weights)
      weight = in.one_in(8) ? in.tame() : std::ldexp(1.0, static_cast<int>(in.from(-4, 4)));
  int beats = in.one_in(8) ? static_cast<int>(in.below(4)) : -1;
  const freeridge_progress cancel = [](double, void* user) -> std::int32_t {
    int& left = *static_cast<int*>(user);
    return left >= 0 && left-- == 0 ? 1 : 0;
  };
  freeridge_accumulator* const handle = handle_[which].get();
  freeridge_accumulator_set_progress(handle, cancel, &beats);
  Caller call;
  const double* const weights = weighted ? rows.weights.data() : nullptr;
  const auto status = sparse ? add_sparse(handle, told, rows, weights, call)
                             : ASK(freeridge_accumulator_add, 0, handle,
                                   support::at(FREERIDGE_ROW_MAJOR, n, told.d, rows.x.data(), told.d),
                                   FREERIDGE_ROW_MAJOR, rows.y.data(), told.t, weights);
  freeridge_accumulator_set_progress(handle, nullptr, nullptr);
  if (status == FREERIDGE_OK) told.given.push_back(std::move(rows));
}

void AccumulatorSequence::merge(Source& in, int which) {
  const int other = in.one_in(8) ? which : 1 - which;
  Told& told = told_[which];
  if (told.given.size() > 8) return;
  Caller call;
  const auto status = ASK(freeridge_accumulator_merge, 0, handle_[which].get(), handle_[other].get());
  const bool fits =
      told.d == told_[other].d && told.t == told_[other].t && (told.intercept != 0) == (told_[other].intercept != 0);
  const auto expected = other == which ? FREERIDGE_INVALID_ARGUMENT
                        : fits         ? FREERIDGE_OK
                                       : FREERIDGE_DIMENSION_MISMATCH;
  if (status != expected) wrong("freeridge_accumulator_merge has another status than expected");
  if (status == FREERIDGE_OK)
    told.given.push_back({{}, {}, {}, std::make_shared<const std::vector<Given>>(told_[other].given)});
}

void AccumulatorSequence::save_and_load(int which) {
  Caller call;
  const Bytes bytes = saved(handle_[which].get(), call);
  AccumulatorHandle other = loaded_accumulator(bytes, call);
  if (!other) wrong("an accumulator is not loaded");
  if (saved(other.get(), call) != bytes) wrong("a loaded accumulator is saved as other bytes");
  handle_[which] = std::move(other);
}

void AccumulatorSequence::misuse(Source& in, int which) {
  const Told& told = told_[which];
  std::vector<double> x(size_of(2, told.d), 1.0), y(size_of(2, told.t), 1.0), weights(2, 1.0);
  std::int64_t n = 2, ldx = told.d, ldy = told.t;
  switch (in.byte() % 7) {
    case 0:
      n = -1;
      break;
    case 1:
      ldx -= ldx == 1 ? 2 : 1;  // 0: without gaps
      break;
    case 2:
      ldy -= 1;
      break;
    case 3:
      x.back() = std::numeric_limits<double>::quiet_NaN();
      break;
    case 4:
      y.back() = std::numeric_limits<double>::infinity();
      break;
    case 5:
      weights.back() = 0;
      break;
    default:
      y.back() = std::numeric_limits<double>::max();
      break;
  }
  Caller call;
  if (ASK(freeridge_accumulator_add, 0, handle_[which].get(),
          support::at(FREERIDGE_ROW_MAJOR, n, told.d, x.data(), ldx), FREERIDGE_ROW_MAJOR, y.data(), ldy,
          weights.data()) == FREERIDGE_OK)
    wrong("freeridge_accumulator_add took what cannot be right");
}

void AccumulatorSequence::verify() const {
  for (int which = 0; which < 2; ++which) {
    Caller ours, theirs;
    const AccumulatorHandle twin = fresh(told_[which]);
    ask(handle_[which].get(), {}, ours);
    ask(twin.get(), {}, theirs);
    const std::string other = difference(ours.answers, theirs.answers);
    if (!other.empty()) wrong("an accumulator that was given the same rows at once answers otherwise:\n" + other);
  }
}

void AccumulatorSequence::step(Source& in) {
  const int which = in.one_in(2) ? 1 : 0;
  const std::uint8_t choice = in.byte();
  if (choice >= 240 && choice <= 246) return add(in, which, true);
  if (choice >= 247 && choice <= 249) return misuse_sparse(in, which);
  switch (choice % 10) {
    case 0:
      return make(in, which);
    case 1:
      return merge(in, which);
    case 2:
      return save_and_load(which);
    case 3:
      return misuse(in, which);
    case 4:
      return verify();
    default:
      return add(in, which, false);
  }
}

}  // namespace fuzz
