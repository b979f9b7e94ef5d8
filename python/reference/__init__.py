"""A slow NumPy oracle of Panto's methods, written from the theory and not from the C++.

Dense matrices, one joint after the other, orthogonal factorisations: everything that the fast code avoids. Where the
two disagree, one of them is wrong.
"""
