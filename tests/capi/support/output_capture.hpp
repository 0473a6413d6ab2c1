// What is written to the descriptors of stdout and stderr while an OutputCapture lives.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

// Of the sanitizer's runtime, where the program or its library has one.
extern "C" void __sanitizer_set_report_fd(void* descriptor) __attribute__((weak));

class OutputCapture {
 public:
  OutputCapture() : file_(std::tmpfile()) {
    std::fflush(nullptr);
    stdout_ = dup(STDOUT_FILENO);
    stderr_ = dup(STDERR_FILENO);
    if (!file_ || stdout_ < 0 || stderr_ < 0) throw std::runtime_error("cannot capture the output");
    dup2(fileno(file_), STDOUT_FILENO);
    dup2(fileno(file_), STDERR_FILENO);
    report_to(stderr_);
  }
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;
  ~OutputCapture() {
    restore();
    std::fclose(file_);
  }

  // Ends the capture; the text that was written.
  std::string end() {
    restore();
    std::string text;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) text.push_back(static_cast<char>(c));
    return text;
  }

 private:
  // A sanitizer's report ends the process: it must not end in the captured file.
  static void report_to(int descriptor) {
    if (__sanitizer_set_report_fd == nullptr) return;
    __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));
  }

  void restore() {
    if (stdout_ < 0) return;
    std::fflush(nullptr);
    dup2(stdout_, STDOUT_FILENO);
    dup2(stderr_, STDERR_FILENO);
    report_to(STDERR_FILENO);
    close(stdout_);
    close(stderr_);
    stdout_ = stderr_ = -1;
  }

  std::FILE* file_;
  int stdout_ = -1;
  int stderr_ = -1;
};
