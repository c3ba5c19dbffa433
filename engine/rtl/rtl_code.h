#pragma once
// The modules of a planned program as SystemVerilog: one for each region, instances of a region that are the
// same share one; the program is the last.

#include <string>

#include "engine/rtl/rtl_plan.h"

namespace sluice::inline rtl {

/// The file with them. `prefix` begins the names of the modules: "top" is the program's.
std::string programModules(const RtlPlan& plan, const std::string& prefix);
/// The module that runs the program with its memory until it ends or deadlocks, named `prefix` and "_run".
/// `point` is a constant in its recordings (RtlProgram::point).
std::string runModule(const RtlPlan& plan, const std::string& prefix, const std::string& point);
/// The text as a comment can have it: printable, without line breaks.
std::string commentText(const std::string& text);

}  // namespace sluice::inline rtl
