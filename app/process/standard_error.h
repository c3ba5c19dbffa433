#pragma once
// Standard error as people read it: what std::cerr prints reaches it without control characters, as the
// names, titles and arguments in it may come from anywhere. StandardOutput has one.

#include <streambuf>

namespace sluice {

class StandardError : public std::streambuf {
 public:
  /// Takes std::cerr over.
  StandardError();
  ~StandardError() override;
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

 protected:
  int_type overflow(int_type next) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  int sync() override;

 private:
  std::streambuf* before_;
};

}  // namespace sluice
