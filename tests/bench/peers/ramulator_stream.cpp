// For ramulator_peer.py: runs a configuration of Ramulator 2 that ends by itself. Prints the ticks of the
// memory and the seconds.

#include <chrono>
#include <cstdio>
#include <memory>

#include "ramulator/base/config.h"
#include "ramulator/base/factory.h"
#include "ramulator/frontend/i_frontend.h"
#include "ramulator/memory_system/i_memory_system.h"

int main(int, char** argv) {
  auto config = Ramulator::Config::parse_config_file(argv[1]);
  std::unique_ptr<Ramulator::IFrontEnd> front(Ramulator::Factory::create_frontend(config));
  std::unique_ptr<Ramulator::IMemorySystem> memory(Ramulator::Factory::create_memory_system(config));
  front->connect_memory_system(memory.get());
  memory->connect_frontend(front.get());
  const int asks = front->get_clock_ratio();  // for a tick of the memory
  unsigned long ticks = 0;
  const auto start = std::chrono::steady_clock::now();
  while (!front->is_finished()) {
    for (int i = 0; i < asks && !front->is_finished(); ++i) front->tick();
    memory->tick();
    ++ticks;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%lu %.6f\n", ticks, seconds.count());
}
