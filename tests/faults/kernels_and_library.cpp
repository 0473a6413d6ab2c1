// Trials of the calls that make kernels, and of those about the library.
#include <cstring>

#include "capi/support/kernel_calls.hpp"
#include "faults/trials.hpp"

namespace faults {
namespace {

std::string describe(const freeridge_kernel* kernel) {
  int64_t length = 0;
  support::check(freeridge_kernel_describe(kernel, 0, nullptr, &length), "freeridge_kernel_describe");
  std::string text(static_cast<std::size_t>(length) + 1, '?');
  support::check(freeridge_kernel_describe(kernel, length + 1, text.data(), &length), "freeridge_kernel_describe");
  return text;
}

Kernel composite() {
  std::vector<Kernel> terms;
  terms.push_back(Kernel::scaled(Kernel::gaussian(1.0 / 3.0), {0.1, 1e-7}));
  terms.push_back(Kernel::polynomial(3, 0.7, 1e-9));
  return Kernel::sum(terms, {0.3, 1.0 / 7.0});
}

// A call struct whose only output is a new kernel.
class NewKernel {
 public:
  explicit NewKernel(const CallKind& kind) : call_(kind.make()) {
    out_ = dynamic_cast<Output<freeridge_kernel*>*>(slot(kind, *call_, "out").output);
  }
  NewKernel(const NewKernel&) = delete;
  ~NewKernel() {
    if (!out_->untouched()) freeridge_kernel_destroy(out_->values[0]);
  }
  AnyCall& call() { return *call_; }
  Bytes text() const {
    Bytes bytes;
    if (out_->untouched()) return bytes;
    const std::string text = describe(out_->values[0]);
    append(bytes, text.data(), text.size());
    return bytes;
  }

 private:
  std::unique_ptr<AnyCall> call_;
  Output<freeridge_kernel*>* out_;
};

void add_maker(Scenarios& all, const CallKind& kind, const std::string& about, const ChangeAny& prepare) {
  all.push_back({kind.name, about, false, [=] {
                   auto made = std::make_shared<NewKernel>(kind);
                   prepare(made->call());
                   return Trial{[made] { return made->call()(); }, [made] { return made->text(); }};
                 }});
}
template <class Call>
void add_maker(Scenarios& all, const std::string& about = "plain", const Change<Call>& prepare = {}) {
  add_maker(all, kind_of<Call>(), about, prepare.any);
}

// A call whose answer is a word about a kernel.
template <class Word>
Trial word_trial(const Word& word) {
  struct Asked {
    Kernel kernel = composite();
    const char* answer = "";
  };
  auto asked = std::make_shared<Asked>();
  return Trial{[=]() -> freeridge_status {
                 asked->answer = word(asked->kernel.get());
                 return FREERIDGE_OK;
               },
               [=] {
                 Bytes bytes;
                 append(bytes, asked->answer, std::strlen(asked->answer));
                 asked->answer = "";
                 return bytes;
               }};
}

}  // namespace

void add_kernels(Scenarios& all) {
  add_maker<KernelLinear>(all);
  add_maker<KernelPolynomial>(all);
  add_maker<KernelGaussian>(all);
  add_maker<KernelLaplacian>(all);
  add_maker<KernelMatern>(all);
  add_maker<KernelSum>(all);
  add_maker<KernelSum>(all, "unweighted", [](KernelSum& call) { call.weights.null = true; });
  add_maker<KernelProduct>(all);
  add_maker<KernelScaled>(all);
  add_maker<KernelAdditive>(all);
  add_maker<KernelAdditive>(all, "each_column", [](KernelAdditive& call) { call.label.null = true; });
  add_maker<KernelPrecomputed>(all);
  add_maker<KernelParse>(all);
  add_maker<KernelParse>(all, "composite", [](KernelParse& call) {
    call.owned = describe(composite().get());
    call.text = call.owned.c_str();
  });
  add_plain<KernelDescribe>(all, "gaussian");
  add_plain<KernelDescribe>(all, "composite", [](KernelDescribe& call) {
    call.owned = composite();
    call.kernel = call.owned.get();
    call.size = 500;
    call.text = Output<char>(500);
  });
  add_plain<KernelLinearScale>(all, "plain");
  add_plain<KernelLinearScale>(all, "composite", [](KernelLinearScale& call) {
    std::vector<Kernel> terms;
    terms.push_back(Kernel::scaled(Kernel::linear(), {0.1, 1e-7}));
    terms.push_back(Kernel::linear());
    call.owned = Kernel::sum(terms, {0.3, 1.0 / 7.0});
    call.kernel = call.owned.get();
  });
  add_plain<KernelGetCounts>(all);
  add_plain<KernelGetParameter>(all);
  add_maker<KernelGetPart>(all);
  add_plain<KernelHyperparameterName>(all);
  add_plain<KernelGetHyperparameters>(all);
  add_maker<KernelWithHyperparameters>(all);
  all.push_back({"freeridge_kernel_name", "composite", true, [] { return word_trial(freeridge_kernel_name); }});
  all.push_back({"freeridge_kernel_parameter_name", "composite", true, [] {
                   return word_trial(
                       [](const freeridge_kernel* kernel) { return freeridge_kernel_parameter_name(kernel, 0); });
                 }});
  add_plain<KernelEvaluate>(all, "gaussian");
  add_plain<KernelEvaluate>(all, "rows_composite", [](KernelEvaluate& call) {
    call.owned = composite();
    call.kernel = call.owned.get();
    call.layout = FREERIDGE_ROW_MAJOR;
    for (freeridge_points* points : {&call.points.fields, &call.others.fields}) {
      points->layout = FREERIDGE_ROW_MAJOR;
      points->ldx = sample::d;
    }
    call.ldout = sample::n;
  });
  all.push_back({"freeridge_kernel_destroy", "composite", false, [] {
                   freeridge_kernel* kernel = nullptr;
                   support::check(freeridge_kernel_parse(describe(composite().get()).c_str(), &kernel), "parse");
                   return Trial{[kernel] {
                     freeridge_kernel_destroy(kernel);
                     return FREERIDGE_OK;
                   }};
                 }});
}

void add_library(Scenarios& all) {
  struct Numbers {
    int32_t version[3] = {-1, -1, -1}, threads = -1;
    const char* text = "";
  };
  const auto add = [&](const char* name, freeridge_status (*call)(Numbers&)) {
    all.push_back({name, "plain", true, [call] {
                     auto numbers = std::make_shared<Numbers>();
                     return Trial{[=] { return call(*numbers); },
                                  [=] {
                                    Bytes bytes;
                                    append(bytes, numbers->version, 3);
                                    append(bytes, numbers->threads);
                                    append(bytes, numbers->text, std::strlen(numbers->text));
                                    *numbers = Numbers();
                                    return bytes;
                                  }};
                   }});
  };
  add("freeridge_version", [](Numbers& n) { return freeridge_version(n.version, n.version + 1, n.version + 2); });
  add("freeridge_get_threads", [](Numbers& n) { return freeridge_get_threads(&n.threads); });
  add("freeridge_set_threads", [](Numbers&) { return freeridge_set_threads(1); });
  add("freeridge_status_name", [](Numbers& n) -> freeridge_status {
    n.text = freeridge_status_name(FREERIDGE_OUT_OF_MEMORY);
    return FREERIDGE_OK;
  });
  add("freeridge_last_error", [](Numbers& n) -> freeridge_status {
    n.text = freeridge_last_error();
    return FREERIDGE_OK;
  });
  // It has no status: in need it says less.
  all.push_back({"freeridge_build_info", "plain", true, [] {
                   return Trial{[]() -> freeridge_status {
                     return std::strncmp(freeridge_build_info(), "freeridge", 9) == 0 ? FREERIDGE_OK
                                                                                      : FREERIDGE_INTERNAL;
                   }};
                 }});
}

}  // namespace faults
