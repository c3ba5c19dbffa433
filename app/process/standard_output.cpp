#include "app/process/standard_output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

#include "engine/core/printable.h"

namespace sluice {
namespace {

/// The lower descriptors are open, so open() takes this one.
void fill(int descriptor, int flags) {
  if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) (void)::open("/dev/null", flags);
}

Diagnostic lost(int number) {
  const std::string why = number == EBADF   ? "it is closed"
                          : number == EPIPE ? "its reader has gone"
                                            : std::string(std::strerror(number));
  const char* fix = number == ENOSPC || number == EDQUOT ? "free some space on the disk that it goes to"
                    : number == EFBIG                    ? "raise the limit of the size of files (ulimit -f)"
                                                         : "let it go to a file, a pipe or a terminal";
  return error("file-unwritable", "standard output", "it cannot be written: " + why, fix);
}

}  // namespace

StandardOutput::StandardOutput(std::stop_source lost)
    : before_(std::cout.rdbuf()), lost_(std::move(lost)), terminal_(::isatty(STDOUT_FILENO) == 1) {
  fill(STDIN_FILENO, O_RDONLY);
  fill(STDOUT_FILENO, O_RDONLY);  // writing to it fails, as it should
  fill(STDERR_FILENO, O_WRONLY);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  std::cout.rdbuf(this);
}

StandardOutput::~StandardOutput() {
  std::cout.rdbuf(before_);
}

void StandardOutput::use() {
  State expected = State::Unused;
  if (state_.compare_exchange_strong(expected, State::Used) || expected == State::Used) return;
  while (true) ::pause();  // another thread is ending the program
}

bool StandardOutput::write(std::string_view bytes) {
  while (!bytes.empty() && error_ == 0 && !muted_) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd reader{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&reader, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
      lost_.request_stop();
    }
  }
  return error_ == 0;
}

/// Files and pipes get what is printed byte for byte.
bool StandardOutput::show(std::string_view text) {
  return terminal_ ? write(printable(text)) : write(text);
}

bool StandardOutput::flush() {
  const std::string_view waiting(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return show(waiting);
}

StandardOutput::int_type StandardOutput::overflow(int_type next) {
  use();
  if (!flush()) return traits_type::eof();
  if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
  *pptr() = traits_type::to_char_type(next);
  pbump(1);
  return next;
}

std::streamsize StandardOutput::xsputn(const char* bytes, std::streamsize count) {
  use();
  const std::string_view text(bytes, static_cast<std::size_t>(count));
  if (count > epptr() - pptr() && !flush()) return 0;
  if (text.size() > buffer_.size()) return show(text) ? count : 0;
  std::copy(text.begin(), text.end(), pptr());
  pbump(static_cast<int>(count));
  // On a terminal a line is seen when it is complete.
  return !terminal_ || text.find('\n') == text.npos || flush() ? count : 0;
}

int StandardOutput::sync() {
  return flush() ? 0 : -1;
}

bool StandardOutput::printAtLast(std::string_view bytes) {
  State expected = State::Unused;
  if (!state_.compare_exchange_strong(expected, State::Ended)) return false;
  write(bytes);
  return true;
}

Result<Done> StandardOutput::finish() {
  flush();
  // A file system in the network tells only here that the disk is full.
  if (state_ == State::Used && ::close(STDOUT_FILENO) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0 && !(error_ == EPIPE && may_leave_)) return lost(error_);
  return Done{};
}

}  // namespace sluice
