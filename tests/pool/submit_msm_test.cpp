#include "placed_msms.hpp"
