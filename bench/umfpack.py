# SPDX-License-Identifier: Apache-2.0
"""Factors and solves sparse systems by SuiteSparse's UMFPACK, if its library is installed (Debian's libumfpack5)."""

import ctypes
import ctypes.util

import numpy as np

REFINEMENT_STEPS = 7  # index of Control
SOLVE_A_X = 0


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Umfpack:
    """One pattern: analyzed once, then factored and solved for any values."""

    def __init__(self, csc):
        self.library = ctypes.CDLL(ctypes.util.find_library("umfpack"))
        self.size = csc.shape[0]
        self.starts, self.rows = csc.indptr.astype(np.int32), csc.indices.astype(np.int32)
        self.control = np.zeros(20)
        self.library.umfpack_di_defaults(_pointer(self.control))
        self.control[REFINEMENT_STEPS] = 0  # the others don't refine their solutions
        self.symbolic = ctypes.c_void_p()
        self._check(self.library.umfpack_di_symbolic(
            self.size, self.size, _pointer(self.starts), _pointer(self.rows), _pointer(csc.data),
            ctypes.byref(self.symbolic), _pointer(self.control), None))

    def solve(self, values, b):
        numeric, x = ctypes.c_void_p(), np.empty(self.size)
        self._check(self.library.umfpack_di_numeric(
            _pointer(self.starts), _pointer(self.rows), _pointer(values), self.symbolic, ctypes.byref(numeric),
            _pointer(self.control), None))
        self._check(self.library.umfpack_di_solve(
            SOLVE_A_X, _pointer(self.starts), _pointer(self.rows), _pointer(values), _pointer(x), _pointer(b), numeric,
            _pointer(self.control), None))
        self.library.umfpack_di_free_numeric(ctypes.byref(numeric))
        return x

    @staticmethod
    def _check(status):
        if status != 0:
            raise RuntimeError(f"UMFPACK returned {status}")


def is_installed():
    return ctypes.util.find_library("umfpack") is not None
