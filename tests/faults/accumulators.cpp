// Trials of the streaming calls: an accumulator with few rows, which it keeps, and one with a reduced block behind it.
#include "capi/support/accumulator_calls.hpp"
#include "faults/directory.hpp"
#include "support/random.hpp"

namespace faults {
namespace streaming {

using namespace accumulator;

constexpr int64_t d = sample::d, t = sample::t, few = 15, many = 1300;

struct Stream {
  oracle::Problem rows;
  support::Accumulator first, second;

  // alone: with a feature that row 0 alone has, whose leverage is one.
  Stream(int64_t n, bool alone) : first(d, t, true), second(d, t, true) {
    support::Random random(9);
    rows.x = random.uniform_matrix(n, d, -1.0, 1.0);
    rows.y = random.uniform_matrix(n, t, -1.0, 1.0);
    for (int64_t i = 0; i < n; ++i) rows.weights.push_back(1.0 + 0.1 * static_cast<double>(i % 7));
    if (alone)
      for (int64_t i = 0; i < n; ++i) rows.x(i, 0) = i == 0 ? 1 : 0;
    first.add(rows);
    second.add(rows);
  }
  Bytes state() const {
    Bytes bytes = first.save();
    const support::Planes planes = first.solve({0.25});
    append(bytes, planes.w.values.data(), planes.w.values.size());
    return bytes;
  }
};

// A call on rows is made on those of the stream.
template <class Call>
void give_rows(Call& call, const oracle::Problem& rows) {
  const int64_t n = rows.x.rows;
  call.points = call.points.value.values.empty() ? dense_points(n, rows.x.values) : sparse_points(n, rows.x.values);
  call.ldy = n;
  call.y.values = rows.y.values;
  call.weights.values = rows.weights;
  if constexpr (requires { call.group.values; }) {
    call.group.values.assign(sample::size(n), 0);
    for (int64_t i = 0; i < n; ++i) call.group.values[sample::size(i)] = i < n / 2 ? 5 : static_cast<int32_t>(i % 4);
  }
  if constexpr (requires { call.errors; }) {
    call.errors = Output<double>(sample::size(n, lambda_count * t));
    call.ld = n;
  }
}

template <class Call>
std::shared_ptr<Call> call_on(const Stream& stream) {
  auto call = std::make_shared<Call>();
  call->accumulator = stream.first.get();
  if constexpr (requires { call->other; }) call->other = stream.second.get();
  if constexpr (requires { call->weights; }) give_rows(*call, stream.rows);
  return call;
}

void add(Scenarios& all, const std::string& name, const std::function<std::shared_ptr<AnyCall>(const Stream&)>& call_of,
         bool repeatable, const std::string& about, const ChangeAny& change) {
  const bool in_pieces = name == "freeridge_accumulator_errors";
  for (const int64_t n : {few, many})
    all.push_back({name, (n == few ? "few_rows" : "many_rows") + about, repeatable,
                   [=] {
                     auto own = std::make_shared<Stream>(n, about.ends_with("_undefined_alone"));
                     const std::shared_ptr<AnyCall> call = call_of(*own);
                     change(*call);
                     return trial_of(call, own, [own] { return own->state(); });
                   },
                   in_pieces});
}
template <class Call>
void add(Scenarios& all, bool repeatable = false, const std::string& about = "", const Change<Call>& change = {}) {
  add(all, Call::name, call_on<Call>, repeatable, about, change.any);
}

// What is made is compared by what it saves.
Bytes saved_by(freeridge_accumulator* made) {
  return support::saved(made);
}

template <class Call>
Trial maker(const std::shared_ptr<Call>& call, const std::shared_ptr<void>& owner) {
  return making_trial(call, call->out, owner, saved_by, freeridge_accumulator_destroy, [] { return Bytes(); });
}

template <class Call>
void add_maker(Scenarios& all) {
  all.push_back({Call::name, "plain", true, [] {
                   const auto call = std::make_shared<Call>();
                   return maker(call, nullptr);
                 }});
}

Bytes planes_of(freeridge_model* made) {
  double lambda[t], w[d * t], b[t];
  support::check(freeridge_get_lambda(made, lambda), "freeridge_get_lambda");
  support::check(freeridge_hyperplane(made, 0, nullptr, w, d, nullptr), "freeridge_hyperplane");
  support::check(freeridge_coefficients(made, 0, nullptr, nullptr, 0, b), "freeridge_coefficients");
  Bytes bytes;
  append(bytes, lambda);
  append(bytes, w);
  append(bytes, b);
  return bytes;
}

// The calls that make a handle, go with one, or take a file.
void add_handles_and_files(Scenarios& all) {
  add_maker<Create>(all);
  add_maker<CreateLandmarks>(all);
  add_maker<LoadFromMemory>(all);
  all.push_back({Load::name, "plain", true, [] {
                   auto directory = std::make_shared<Directory>();
                   directory->write(Stream(few, false).first.save());
                   auto call = std::make_shared<Load>();
                   const std::string& file = directory->file;
                   call->path.values.assign(file.c_str(), file.c_str() + file.size() + 1);
                   return maker(call, directory);
                 }});
  for (const int64_t n : {few, many}) {
    const std::string about = n == few ? "few_rows" : "many_rows";
    all.push_back({Predictor::name, about, false, [n] {
                     auto own = std::make_shared<Stream>(n, false);
                     const auto call = call_on<Predictor>(*own);
                     return making_trial(call, call->out, own, planes_of, freeridge_destroy,
                                         [own] { return own->state(); });
                   }});
    all.push_back({Save::name, about, true, [n] {
                     auto own = std::make_shared<Stream>(n, false);
                     auto directory = std::make_shared<Directory>();
                     return Trial{[=] { return freeridge_accumulator_save(own->first.get(), directory->file.c_str()); },
                                  [=] { return directory->take(); }, [own] { return own->state(); }};
                   }});
    all.push_back({"freeridge_accumulator_destroy", about, false, [n] {
                     const Bytes bytes = Stream(n, false).first.save();
                     freeridge_accumulator* made = nullptr;
                     support::check(freeridge_accumulator_load_from_memory(bytes.data(),
                                                                           static_cast<int64_t>(bytes.size()), &made),
                                    "freeridge_accumulator_load_from_memory");
                     return Trial{[made]() -> freeridge_status {
                       freeridge_accumulator_destroy(made);
                       return FREERIDGE_OK;
                     }};
                   }});
  }
}

// Those that change an array of the caller's: it is compared as it stands.
template <class Call>
void add_in_place(Scenarios& all) {
  all.push_back({Call::name, "plain", false, [] {
                   const auto call = std::make_shared<Call>();
                   return Trial{[call] { return (*call)(); },
                                [call] {
                                  Bytes bytes;
                                  append(bytes, call->room.data(), call->room.size());
                                  return bytes;
                                }};
                 }});
}

}  // namespace streaming

void add_accumulators(Scenarios& all) {
  using namespace streaming;
  add_handles_and_files(all);
  add<Add>(all);
  add<AddSparse>(all, false, "_sparse");
  add<Merge>(all);
  add<SetParameter>(all);
  add<Compact>(all);
  add<Prepare>(all);
  add<GetDimensions>(all, true);
  add<GetParameter>(all, true);
  add<SetProgress>(all, true);
  add<MemoryRequired>(all, true);
  add<SaveToMemory>(all, true);
  // A new accumulator each: the first answer pays for what the others share.
  add<Solve>(all);
  add<Score>(all);
  add<Score>(all, false, "_undefined", [](Score& call) {
    call.criterion = FREERIDGE_REML;
    call.lambdas.values[0] = 0;
  });
  add<Objective>(all);
  add<LambdaGrid>(all);
  add<SelectLambda>(all);
  const auto at_zero = [](auto& call) { call.lambdas.values[0] = 0; };
  add<Loo>(all, false, "", at_zero);
  add<Loo>(all, false, "_undefined_alone", at_zero);
  add<LooSparse>(all, false, "_sparse", at_zero);
  add<LooSparse>(all, false, "_sparse_undefined_alone", at_zero);
  add<LooMoments>(all);
  add<LooMomentsSparse>(all, false, "_sparse");
  add<GroupErrors>(all, false, "_groups");
  add<GroupErrors>(all, false, "_groups_undefined_alone", at_zero);
  add<GroupMoments>(all, false, "_groups");
  add<GetUnpenalised>(all);
  add<SquaredErrors>(all);
  add<SquaredErrorsSparse>(all, false, "_sparse");
  add_in_place<MergeBytes>(all);
  add_in_place<MomentsJoin>(all);
  add_plain<MomentsScore>(all);
  add_plain<MomentsSelectLambda>(all);
}

}  // namespace faults
