#pragma once
// From one process to another: what happens to the energy of an operation and to the area of logic. The
// factors are those of A. Stillmaker and B. Baas, Scaling equations for the accurate prediction of CMOS
// device performance from 180 nm to 7 nm, Integration 58, 2017: polynomials over the supply, fitted to
// circuit simulations (high-performance transistors), and a table of areas.

#include <optional>

namespace sluice::inline energy {

struct Process {
  double node_nm = 0;
  double volts = 0;
};

/// By which the energy of an operation is multiplied. Nothing for a node that the paper has no polynomial of,
/// or beyond 0.5 to 1.3 V.
std::optional<double> energyFactor(const Process& from, const Process& to);
/// The same of an area.
std::optional<double> areaFactor(double from_nm, double to_nm);

}  // namespace sluice::inline energy
