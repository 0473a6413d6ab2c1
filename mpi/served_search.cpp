#include "mpi/served_search.hpp"

#include <algorithm>

namespace freeridge::mpi {
namespace {

struct Request {
  Index count = 0, first = 0, outputs = 0;  // count = 0: no more
};

// On all ranks: receives the request of rank 0, and computes the scores.
std::string serve(const Team& team, Request request, Array<double>& lambdas, MatrixView out, MatrixView errors,
                  const Evaluate& evaluate) {
  team.broadcast(lambdas);
  return evaluate(lambdas, request.first, out, errors);
}

void follow(const Team& team, const Evaluate& evaluate) {
  for (;;) {
    Request request;
    team.broadcast_bytes(&request, sizeof request);
    if (request.count == 0) return;
    Array<double> lambdas;
    Matrix out;
    team.together([&] {
      lambdas.resize(request.count);
      out = Matrix(request.count, request.outputs);
    });
    serve(team, request, lambdas, out.view(), {}, evaluate);
  }
}

// The search, on rank 0. An error that the ranks have agreed on is thrown on all of them; an error of the search itself
// is returned, as a fault of rank 0.
Fault lead(const Team& team, const Searched& kind, const std::function<LambdaRange()>& range, const Evaluate& evaluate,
           LambdaSearch& found) {
  bool agreed = false;
  Searched searched = kind;
  const auto scores = [&](Span<const double> wanted, Index first, MatrixView out, MatrixView errors) {
    Array<double> lambdas(wanted.begin(), wanted.end());
    Request request{std::ssize(lambdas), first, out.cols};
    agreed = true;
    team.broadcast_bytes(&request, sizeof request);
    team.together([] {});
    std::string reason = serve(team, request, lambdas, out, errors, evaluate);
    agreed = false;
    return reason;
  };
  searched.scores = std::ref(scores);
  try {
    found = search_lambda(searched, range());
  } catch (...) {
    if (agreed) throw;
    return fault_of([] { throw; });
  }
  return {};
}

}  // namespace

LambdaSearch served_search(const Team& team, Criterion criterion, Index t, bool fine,
                           const std::function<LambdaRange()>& range, const Evaluate& evaluate) {
  LambdaSearch found;
  Fault fault;
  if (team.rank() == 0) {
    fault = lead(team, {criterion, t, fine, {}}, range, evaluate, found);
    Request end;
    team.broadcast_bytes(&end, sizeof end);
  } else {
    follow(team, evaluate);
    fault = fault_of([&] {
      found.best.resize(t);
      found.best_score.resize(t);
    });
  }
  team.agree(fault);
  team.broadcast(found.best);
  team.broadcast(found.best_score);
  return found;
}

}  // namespace freeridge::mpi
