// Trials of the classifier's calls, for both losses.
#include "capi/support/classifier_calls.hpp"
#include "faults/trials.hpp"

namespace faults {
namespace {

using namespace classifier;

const std::vector<freeridge_loss> both = {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE};

// On a FITTED classifier.
template <class Call>
void add(Scenarios& all, bool repeatable, const std::vector<freeridge_loss>& losses = both) {
  for (const freeridge_loss loss : losses)
    all.push_back({Call::name, loss == FREERIDGE_LOSS_HINGE ? "hinge" : "logistic", repeatable, [=] {
                     auto own = std::make_shared<Classifier>(classifier::classifier(State::fitted, loss));
                     auto call = std::make_shared<Call>();
                     call->classifier = own->get();
                     if constexpr (requires { call->probability; }) call->probability.null = loss == FREERIDGE_LOSS_HINGE;
                     return trial_of(call, own, [own] {
                       const Vector answers = everything(*own);
                       Bytes bytes;
                       append(bytes, answers.data(), answers.size());
                       return bytes;
                     });
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
  add<SetIntercept>(all, false);
  add<SetProgress>(all, false);
  add<SetControl>(all, false);
  add<MemoryRequired>(all, true);
  add<Fit>(all, false);
  add<Predict>(all, true);
  add<Loo>(all, true, {FREERIDGE_LOSS_LOGISTIC});
  add<GetCoefficients>(all, true);
  add<GetConvergence>(all, true);
  add<GetSupport>(all, true, {FREERIDGE_LOSS_HINGE});
}

}  // namespace faults
