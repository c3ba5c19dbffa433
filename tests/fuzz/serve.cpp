// The lines of sluice-cli serve. What they could ask of this machine is taken out: files are neither read nor
// written, and numbers are short, so that what runs ends soon.

#include "app/cli/serve.h"

#include <cctype>
#include <sstream>
#include <string>

#include "tests/fuzz/fuzz_target.h"

namespace {

void takeOut(std::string& lines) {
  for (const char* name : {"\"file\"", "\"store\"", "\"inputs\"", "\\u"}) {
    for (std::size_t at = lines.find(name); at != std::string::npos; at = lines.find(name))
      lines[at + 1] = '_';
  }
  std::string kept;
  std::size_t digits = 0;
  for (const char c : lines) {
    digits = std::isdigit(static_cast<unsigned char>(c)) ? digits + 1 : 0;
    if (digits <= 2) kept += c == '^' ? '+' : c;
  }
  lines = std::move(kept);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  std::string lines(fuzz::textOf(data, size));
  takeOut(lines);
  std::istringstream in(lines);
  std::ostringstream out;
  fuzz::insist(cli::serve(in, out) == 0, "serving ends well");
  return 0;
}
