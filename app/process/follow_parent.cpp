#include "app/process/follow_parent.h"

#include <sys/prctl.h>

#include <csignal>

namespace sluice {

void endWithParent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace sluice
