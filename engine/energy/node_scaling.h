#pragma once
// From one process to another: what happens to the energy of an operation and to areas. The
// factors are those of A. Stillmaker and B. Baas, Scaling equations for the accurate prediction of CMOS
// device performance from 180 nm to 7 nm, Integration 58, 2017: polynomials over the supply, fitted to
// circuit simulations (high-performance transistors), and a table of areas.

#include <optional>
#include <string>

namespace sluice::inline energy {

struct Process {
  double node_nm = 0;
  double volts = 0;
};

/// By which the energy of an operation is multiplied. Nothing for a node that the paper has no polynomial of,
/// or beyond 0.5 to 1.3 V.
std::optional<double> energyFactor(const Process& from, const Process& to);
/// The same of the area of logic: gates, flip-flops, units of arithmetic.
std::optional<double> areaFactor(double from_nm, double to_nm);
/// The same of memory, which shrinks less: of published SRAM cells, the smallest of each process at its first
/// publication.
std::optional<double> memoryAreaFactor(double from_nm, double to_nm);
/// A factor as it is told: "0.202".
std::string factorText(double factor);

}  // namespace sluice::inline energy
