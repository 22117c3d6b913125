package toolkit

import (
	"context"
	"errors"

	"loci/internal/sandbox"
	"loci/internal/tool"
)

// atSpot opens the place that a path names while use is under way.
func atSpot[R any](ctx context.Context, env tool.Env, path string, links sandbox.Links, use func(*sandbox.Spot) (R, error)) (r R, err error) {
	spot, err := env.Files.Spot(ctx, path, links)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, spot.Close()) }()
	return use(spot)
}

// alone keeps others from changing what the spots name while use is under way.
func alone[R any](ctx context.Context, use func() (R, error), spots ...*sandbox.Spot) (r R, err error) {
	release, err := sandbox.Lock(ctx, spots...)
	if err != nil {
		return r, err
	}
	defer release()
	return use()
}
