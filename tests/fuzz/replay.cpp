// Runs a target on files and on all files of folders, without a fuzzer: the tests replay the corpus with it, and a
// finding is looked at with it.    replay FILE_OR_FOLDER...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int main(int count, char** names) {
  std::vector<std::filesystem::path> files;
  for (int k = 1; k < count; ++k) {
    if (!std::filesystem::is_directory(names[k])) {
      files.emplace_back(names[k]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(names[k]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) {
      std::fprintf(stderr, "cannot read %s\n", file.c_str());
      return 1;
    }
    // A copy that ends where its memory ends; its name first, as a crash says no more.
    const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
