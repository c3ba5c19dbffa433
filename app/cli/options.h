#pragma once
// Commands as data: what each is called, takes and runs. command_line.cpp hands these tables to the parser;
// the manual page, the list of commands and the words on wrong use are made from the same tables.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/diagnostic.h"
#include "engine/core/range.h"

namespace sluice::cli {

struct Process;

/// What is asked of a value, and how it is reported.
struct OptionRules {
  std::string type = {};            ///< "FOLDER", for the help; empty: TEXT, INT ... by the value
  std::optional<Range> range = {};  ///< of a number
  std::vector<std::string> choices = {};
  std::string form = {};                                      ///< what `wrong` asks for, "NAME=VALUE"
  std::function<std::string(const std::string&)> wrong = {};  ///< why a text is none; empty: it is one
  std::string needs = {};  ///< another option's name, without which this one is refused
  bool required = false;
  bool one_each = false;       ///< of several texts: the option is named again for each
  bool commas = false;         ///< of several texts: they stand in one word, separated by commas
  bool shows_default = false;  ///< in the help
};

/// An option, a flag, or an argument that goes by its place.
struct Option {
  /// Where the value goes; what is there before is the default. A flag has a bool, or nothing.
  using Target = std::variant<bool*, std::string*, std::vector<std::string>*, std::int64_t*,
                              std::optional<std::int64_t>*, std::uint64_t*, unsigned*, double*>;

  std::string names;  ///< "--out", "-o,--output"; "FILE": it goes by its place
  Target value;
  std::string help;
  OptionRules rules = {};

  bool positional() const { return !names.starts_with('-'); }
  bool flag() const { return std::holds_alternative<bool*>(value); }
  bool several() const { return std::holds_alternative<std::vector<std::string>*>(value); }
  std::string name() const { return names.substr(names.rfind(',') + 1); }  ///< "--output"
};

/// How a command is used, on the samples; one after the other they run as they are (examples_test).
struct Example {
  std::string words;  ///< behind "sluice-cli "
  std::string what;   ///< "every point, kept in a store"
};

struct Command {
  std::string name, summary;
  std::vector<Example> examples = {};
  std::vector<Option> options = {};
  std::function<int(Process&)> run;    ///< returns the exit code; throws WrongUse
  std::vector<Command> commands = {};  ///< "convert" of "itensor convert"
  bool hidden = false;                 ///< from the help: it is for programs, not for people

  void add(Option option) { options.push_back(std::move(option)); }
  template <class Value>
  void add(std::string names, Value& value, std::string help, OptionRules rules = {}) {
    add({std::move(names), &value, std::move(help), std::move(rules)});
  }
};

/// The command line asks for what there is not, or for too little.
struct WrongUse {
  Code code;
  std::string cause;
  std::string meant = {};  ///< "did you mean '--stalls'? "
};
/// For WrongUse::meant: the candidate that is spelt like the word, or nothing. `dashes`: what stands before
/// it.
std::string guess(const std::string& word, const std::vector<std::string>& candidates,
                  const std::string& dashes = {});

/// The names of where something is written, the same of all commands.
inline constexpr const char* output_option = "-o,--output,--out";

/// --help and --version, which the parser answers itself; every command has --help as well.
Option helpOption();
Option versionOption();
/// --plugin, which main() takes out of the command line before the parser sees it; told of in the help.
Option pluginOption();
/// TEXT, INT, UINT or FLOAT; empty for a flag.
std::string_view valueType(const Option& option);
/// What no option takes: an empty text, a number that does not fit, a number that is none. Empty: it is fine.
std::string unfitValue(const Option& option, const std::string& text);
/// What "NAME=VALUE" has on both sides of its first '='; without one there is no value.
std::pair<std::string, std::string> assignment(const std::string& text);
/// Nothing where `text` is more, or something else.
std::optional<std::int64_t> wholeNumber(std::string_view text);
/// `options` with `more` behind them.
std::vector<Option> with(std::vector<Option> options, std::vector<Option> more);

}  // namespace sluice::cli
