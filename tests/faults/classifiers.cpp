// Trials of the classifier's calls, for both losses.
#include "capi/support/classifier_calls.hpp"
#include "faults/directory.hpp"

namespace faults {
namespace {

using namespace classifier;

const std::vector<freeridge_loss> both = {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE};

Bytes answers_of(const Classifier& c) {
  const Vector answers = everything(c);
  Bytes bytes;
  append(bytes, answers.data(), answers.size());
  return bytes;
}

// On a FITTED classifier.
void add(Scenarios& all, const CallKind& kind, bool repeatable, const std::vector<freeridge_loss>& losses) {
  for (const freeridge_loss loss : losses)
    all.push_back({kind.name, loss == FREERIDGE_LOSS_HINGE ? "hinge" : "logistic", repeatable, [=] {
                     auto own = std::make_shared<Classifier>(classifier::classifier(State::fitted, loss));
                     const std::shared_ptr<AnyCall> call = kind.make();
                     *slot(kind, *call, "classifier").pointer = own->get();
                     if (const call::Slot probability = slot(kind, *call, "probability"); probability.null != nullptr)
                       *probability.null = loss == FREERIDGE_LOSS_HINGE;
                     return trial_of(call, own, [own] { return answers_of(*own); });
                   }});
}
template <class Call>
void add(Scenarios& all, bool repeatable, const std::vector<freeridge_loss>& losses = both) {
  add(all, kind_of<Call>(), repeatable, losses);
}

// What a classifier that was loaded saves.
Bytes bytes_of(freeridge_classifier* made) {
  return support::saved(made);
}

// To and from a file, and a kernel of its own.
void add_handles_and_files(Scenarios& all, freeridge_loss loss, const std::string& about) {
  all.push_back({GetKernel::name, about, true, [loss] {
                   auto own = std::make_shared<Classifier>(classifier::classifier(State::fitted, loss));
                   auto call = std::make_shared<GetKernel>();
                   call->classifier = own->get();
                   return making_trial<freeridge_kernel>(call, call->out, own, faults::bytes_of,
                                                         freeridge_kernel_destroy, [own] { return answers_of(*own); });
                 }});
  all.push_back({Save::name, about, true, [loss] {
                   auto own = std::make_shared<Classifier>(classifier::classifier(State::fitted, loss));
                   auto directory = std::make_shared<Directory>();
                   return Trial{[=] { return freeridge_classifier_save(own->get(), directory->file.c_str()); },
                                [=] { return directory->take(); }, [own] { return answers_of(*own); }};
                 }});
  all.push_back({Load::name, about, true, [loss] {
                   auto directory = std::make_shared<Directory>();
                   directory->write(bytes_of(classifier::classifier(State::fitted, loss).get()));
                   auto call = std::make_shared<Load>();
                   const std::string file = directory->file;
                   call->path.values.assign(file.c_str(), file.c_str() + file.size() + 1);
                   return making_trial<freeridge_classifier>(call, call->out, directory, bytes_of,
                                                             freeridge_classifier_destroy, [] { return Bytes(); });
                 }});
  all.push_back({LoadFromMemory::name, about, true, [loss] {
                   auto call = std::make_shared<LoadFromMemory>();
                   call->bytes.values = bytes_of(classifier::classifier(State::fitted, loss).get());
                   call->size = static_cast<int64_t>(call->bytes.values.size());
                   return making_trial<freeridge_classifier>(call, call->out, nullptr, bytes_of,
                                                             freeridge_classifier_destroy, [] { return Bytes(); });
                 }});
}

struct NewClassifier {
  Create call;
  ~NewClassifier() {
    if (!call.out.untouched()) freeridge_classifier_destroy(call.out.values[0]);
  }
};

}  // namespace

void add_classifiers(Scenarios& all) {
  for (const freeridge_loss loss : both) {
    const std::string about = loss == FREERIDGE_LOSS_HINGE ? "hinge" : "logistic";
    all.push_back({Create::name, about, false, [loss] {
                     auto made = std::make_shared<NewClassifier>();
                     made->call.loss = loss;
                     return Trial{[made] { return made->call(); },
                                  [made] { return made->call.out.untouched() ? Bytes() : Bytes(1); }};
                   }});
    add_handles_and_files(all, loss, about);
    all.push_back({"freeridge_classifier_destroy", about, false, [loss] {
                     auto own =
                         std::make_shared<freeridge_classifier*>(classifier::classifier(State::fitted, loss).release());
                     return Trial{[own]() -> freeridge_status {
                       freeridge_classifier_destroy(*own);
                       return FREERIDGE_OK;
                     }};
                   }});
  }
  add<SetData>(all, false);
  add<SetWeights>(all, false);
  add<SetParameter>(all, false);
  add<SetProgress>(all, false);
  add<MemoryRequired>(all, true);
  add<Fit>(all, false);
  add<Predict>(all, true);
  add<Loo>(all, true, {FREERIDGE_LOSS_LOGISTIC});
  add<GetCoefficients>(all, true);
  add<GetConvergence>(all, true);
  add<GetParameter>(all, true);
  add<GetWeights>(all, true);
  add<GetDimensions>(all, true);
  add<GetLambda>(all, true);
  add<SaveToMemory>(all, true);
  add<GetSupport>(all, true, {FREERIDGE_LOSS_HINGE});
  add<Distances>(all, true);
  add<GetMargins>(all, true, {FREERIDGE_LOSS_HINGE});
}

}  // namespace faults
