import { describeIndexBuilds } from '../behaviours/index-builds.js'

describe('operators', () => {
  describeIndexBuilds('embedded')
})
