// SPDX-License-Identifier: BSD-3-Clause
// The border between two panes: it is dragged, or moved with the arrow keys; a double click gives the room back.
import { moved, stepOf } from '../splitting';

export function Splitter({ label, index, shares, usual, setShares }: {
  label: string; index: number; shares: number[]; usual: number[]; setShares: (shares: number[]) => void;
}) {
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const handle = event.currentTarget;
    const width = handle.parentElement!.getBoundingClientRect().width;
    const from = event.clientX;
    const move = (to: PointerEvent) => setShares(moved(shares, index, (to.clientX - from) / width));
    const end = () => {
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('lostpointercapture', end);
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', end);
    event.preventDefault();
    handle.focus();
  };
  const press = (event: KeyboardEvent) => {
    const step = stepOf(event.key, event.shiftKey);
    if (step === undefined) return;
    setShares(moved(shares, index, step));
    event.preventDefault();
  };
  const share = Math.round(shares.slice(0, index + 1).reduce((sum, one) => sum + one, 0) * 100);
  return (
    <div class="splitter" role="separator" tabIndex={0} aria-orientation="vertical" aria-label={label} aria-valuenow={share}
      aria-valuemin={0} aria-valuemax={100} title={`${label}: drag, or ← →; a double click resets`}
      onPointerDown={drag} onKeyDown={press} onDblClick={() => setShares(usual)} />
  );
}
