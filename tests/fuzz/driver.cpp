// A small stand-in for libFuzzer where there is no clang: reads a corpus, tries it, then mutations of it, the
// same ones for the same seed. Understands the options of libFuzzer that are used here:
//   -runs=N  -seed=N  -max_total_time=SECONDS  -timeout=SECONDS  -rss_limit_mb=N  -artifact_prefix=PATH
//   FILE|FOLDER...
// What is tried lies in a file that outlives a crash: ${artifact_prefix}input.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/core/random.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using Bytes = std::string;
using sluice::SplitMix64;

constexpr std::size_t largest = 1 << 16;

struct Options {
  std::uint64_t runs = 0, seed = 1, seconds = 0, timeout = 20, rss_mb = 2048;
  std::string prefix = "/tmp/sluice-fuzz-" + std::to_string(::getpid()) + "-";
  std::vector<Bytes> corpus;
};

void read(const std::filesystem::path& path, Options& options) {
  if (std::filesystem::is_directory(path)) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());  // a folder's own order is the file system's
    for (const auto& file : files) read(file, options);
    return;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  options.corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

Options parse(int count, char** words) {
  Options options;
  const std::array<std::pair<std::string_view, std::uint64_t*>, 5> numbers = {
      {{"-runs=", &options.runs},
       {"-seed=", &options.seed},
       {"-max_total_time=", &options.seconds},
       {"-timeout=", &options.timeout},
       {"-rss_limit_mb=", &options.rss_mb}}};
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const auto* number = std::find_if(numbers.begin(), numbers.end(),
                                      [&](const auto& n) { return word.starts_with(n.first); });
    if (number != numbers.end()) {
      std::from_chars(word.data() + number->first.size(), word.data() + word.size(), *number->second);
    } else if (word.starts_with("-artifact_prefix=")) {
      options.prefix = word.substr(17);
    } else if (!word.starts_with("-")) {
      read(std::filesystem::path(word), options);
    }
  }
  if (options.corpus.empty()) options.corpus.emplace_back();
  return options;
}

/// Numbers and texts that programs stumble over.
const std::vector<Bytes>& oddities() {
  static const std::vector<Bytes> list = {"0",
                                          "-1",
                                          "1",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "18446744073709551616",
                                          "4294967296",
                                          "1e309",
                                          "1e-400",
                                          "NaN",
                                          "null",
                                          "true",
                                          "\"\"",
                                          "[]",
                                          "{}",
                                          "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                                          "((((((((((((((((((((((((((((((((",
                                          "\xff\xfe",
                                          "\xed\xa0\x80",
                                          Bytes(1, '\0'),
                                          Bytes(8, '\xff'),
                                          Bytes(8, '\0'),
                                          Bytes("\x7f\xff\xff\xff"),
                                          "\\u0000",
                                          "//",
                                          "/0",
                                          "^99",
                                          "max(",
                                          "../../../../etc/passwd"};
  return list;
}

/// One change, like those of libFuzzer.
void change(Bytes& bytes, const std::vector<Bytes>& corpus, SplitMix64& random) {
  const auto place = [&] { return static_cast<std::size_t>(random.below(bytes.size() + 1)); };
  const auto piece = [&](std::size_t from, std::size_t of) {
    return static_cast<std::size_t>(
        1 + random.below(std::min<std::size_t>(of - from, random.below(8) == 0 ? of : 16)));
  };
  const std::uint64_t kind = random.below(8);
  if (bytes.empty() || kind == 0) {
    const Bytes& odd = oddities()[random.below(oddities().size())];
    bytes.insert(place(), odd);
  } else if (kind == 1) {
    const std::size_t at = random.below(bytes.size());
    bytes.erase(at, piece(at, bytes.size()));
  } else if (kind == 2) {
    bytes[random.below(bytes.size())] ^= static_cast<char>(1u << random.below(8));
  } else if (kind == 3) {
    bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
  } else if (kind == 4) {
    const std::size_t at = random.below(bytes.size());
    bytes.insert(place(), bytes.substr(at, piece(at, bytes.size())));
  } else if (kind == 5) {  // a number becomes another
    const std::size_t at = bytes.find_first_of("0123456789", random.below(bytes.size()));
    if (at == Bytes::npos) return;
    const std::size_t end = std::min(bytes.find_first_not_of("0123456789", at), bytes.size());
    bytes.replace(at, end - at, oddities()[random.below(9)]);
  } else if (kind == 6) {  // something of another file
    const Bytes& other = corpus[random.below(corpus.size())];
    if (other.empty()) return;
    const std::size_t from = random.below(other.size());
    const Bytes taken = other.substr(from, piece(from, other.size()));
    const std::size_t at = place();
    if (random.below(2))
      bytes.replace(at, taken.size(), taken);
    else
      bytes.insert(at, taken);
  } else {
    bytes.resize(random.below(bytes.size() + 1));
  }
  if (bytes.size() > largest) bytes.resize(largest);
}

/// Where the input lies while it is tried.
class Slate {
 public:
  explicit Slate(const std::string& file) {
    const int handle = ::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (handle < 0 || ::ftruncate(handle, static_cast<off_t>(room)) != 0) return;
    void* const at = ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    ::close(handle);
    if (at != MAP_FAILED) at_ = static_cast<char*>(at);
  }
  /// The number of bytes, in text on a line of its own, then the bytes.
  void write(const Bytes& bytes) {
    if (!at_) return;
    const int head = std::snprintf(at_, 32, "%zu\n", bytes.size());
    std::memcpy(at_ + head, bytes.data(), std::min(bytes.size(), room - 32));
  }

 private:
  static constexpr std::size_t room = largest * 4;
  char* at_ = nullptr;
};

void tooSlow(int) {
  constexpr std::string_view text = "one input took longer than -timeout\n";
  if (::write(2, text.data(), text.size()) < 0) ::_exit(71);
  ::_exit(70);
}

class Trying {
 public:
  explicit Trying(const Options& options) : options_(options), slate_(options.prefix + "input") {}

  void tryOut(const Bytes& bytes) {
    slate_.write(bytes);
    ::alarm(static_cast<unsigned>(options_.timeout));
    // A copy of exactly that size, so that a sanitizer sees the end.
    const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    ::alarm(0);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    if (static_cast<std::uint64_t>(usage.ru_maxrss) / 1024 <= options_.rss_mb) return;
    std::fprintf(stderr, "%ld MiB of memory were used\n", usage.ru_maxrss / 1024);
    ::_exit(72);
  }

 private:
  const Options& options_;
  Slate slate_;
};

}  // namespace

int main(int count, char** words) {
  const Options options = parse(count, words);
  std::signal(SIGALRM, tooSlow);
  Trying trying(options);
  for (const Bytes& bytes : options.corpus) trying.tryOut(bytes);
  SplitMix64 random(options.seed);
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t run = 0;
  const auto goOn = [&] {
    if (options.seconds > 0 &&
        std::chrono::steady_clock::now() - start >= std::chrono::seconds(options.seconds))
      return false;
    return options.runs > 0 ? run < options.runs : options.seconds > 0;
  };
  for (; goOn(); ++run) {
    Bytes bytes = options.corpus[random.below(options.corpus.size())];
    for (std::uint64_t changes = 1 + random.below(random.below(4) == 0 ? 12 : 3); changes > 0; --changes)
      change(bytes, options.corpus, random);
    trying.tryOut(bytes);
  }
  std::filesystem::remove(options.prefix + "input");
  std::printf("%zu inputs of the corpus and %llu mutations: nothing found\n", options.corpus.size(),
              static_cast<unsigned long long>(run));
  return 0;
}
