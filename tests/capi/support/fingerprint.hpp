// Everything that a model of the sample answers, to be compared bit by bit.
#pragma once

#include <freeridge.h>

#include <string>
#include <vector>

struct Answer {
  std::string call;
  freeridge_status status;
  std::vector<unsigned char> bytes;  // of all outputs, the untouched ones too
};

using Fingerprint = std::vector<Answer>;

// The answers of every call that reads a model, in whatever state it is.
Fingerprint fingerprint(const freeridge_model* model);

// What two fingerprints disagree in, a line for each call; "" when they are equal.
std::string difference(const Fingerprint& before, const Fingerprint& after);
