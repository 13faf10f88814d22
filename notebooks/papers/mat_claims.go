package papers

import "slices"

// matClaims are the claims of the notebook on matroid bandits.
var matClaims = slices.Concat(matReturnsClaims, matPictureClaims, matAttackedClaims, matEqualClaims)
