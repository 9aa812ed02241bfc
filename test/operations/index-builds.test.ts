import { describeIndexBuilds } from '../behaviours/index-builds.test.js'

describe('operators', () => {
  describeIndexBuilds('embedded')
})
